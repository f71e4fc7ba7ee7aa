"""Settings: where each comes from, and what a slip in the file is answered with."""

from pathlib import Path

import pytest

from cantstop_client.errors import ClientError
from cantstop_client.settings import KEYS, load_settings


def written(directory: Path, text: str) -> Path:
    file = directory / "config.toml"
    file.write_text(text, "utf-8")
    return file


def test_without_a_file_the_defaults_are_in_force(tmp_path: Path) -> None:
    settings = load_settings({}, {}, tmp_path / "none" / "config.toml")
    assert {value.origin for value in settings.rows().values()} == {"default"}
    assert (settings.name.value, settings.server.value, settings.servers.value) == ("", "", {})
    assert (settings.palette.value, settings.bell.value) == ("auto", "turn")
    assert settings.keys.value == KEYS


def test_the_command_line_goes_before_the_environment_and_that_before_the_file(
    tmp_path: Path,
) -> None:
    file = written(tmp_path, 'name = "File"\nserver = "file.example"\nbell = "off"\n')
    environment = {"CANTSTOP_NAME": "Env", "CANTSTOP_SERVER": "env.example", "CANTSTOP_BELL": ""}
    settings = load_settings({"name": "Said", "server": None}, environment, file)
    assert (settings.name.value, settings.name.origin, settings.name.source) == (
        *("Said", "option"),
        "--name",
    )
    assert (settings.server.value, settings.server.source) == ("env.example", "CANTSTOP_SERVER")
    assert (settings.bell.value, settings.bell.origin) == ("off", "file")
    assert settings.bell.source == str(file)


def test_a_server_goes_by_its_name_in_the_file(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'server = "club"\n[servers]\nclub = "wss://club.example/x"\nden = "10.0.0.1:7"\n'
    )
    settings = load_settings({}, {}, file)
    assert settings.address(settings.server.value).url == "wss://club.example:443/x"
    assert str(settings.address(" den ")) == "10.0.0.1:7"
    assert str(settings.address("elsewhere")) == "elsewhere:7112"


def test_keys_that_are_not_named_keep_theirs(tmp_path: Path) -> None:
    settings = load_settings({}, {}, written(tmp_path, '[keys]\nroll = "w"\nhelp = "f1"\n'))
    assert settings.keys.value == {"roll": "w", "stop": "s", "help": "f1"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nmae = 'Ann'", "'nmae' is no setting"),
        ("name = 3", "name: it is a text in quotes, not 3"),
        ("name = ''", "name: a name needs"),
        ('server = "a b"', "server: 'a b' is not a server's address"),
        ('server = ""', "server: it needs"),
        ("servers = 'x'", "servers: it is a table"),
        ('[servers]\n"1 2" = "x"', "servers: '1 2' is no name"),
        ('[servers]\na = "ws//x y"', "servers: a: "),
        ("[servers]\na = 7112", "servers: a: it is a text"),
        ('palette = "pink"', "palette: 'pink' is none of auto, dark, light"),
        ("bell = true", "bell: it is a text"),
        ('[keys]\ndance = "d"', "keys: 'dance' has no key"),
        ('[keys]\nroll = "1"', "keys: roll: '1' is no key"),
        ('[keys]\nroll = "/"', "keys: roll"),
        ('[keys]\nroll = "c-c"', "keys: roll"),
        ('[keys]\nroll = "c-f"', "keys: roll"),
        ('[keys]\nroll = "s"', "keys: one key for two things"),
        ("keys = []", "keys: it is a table"),
        ("name = ", "is not TOML"),
    ],
)
def test_a_slip_is_told_with_the_file_and_the_key(tmp_path: Path, text: str, words: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ClientError) as told:
        # Also where something else has the setting's place.
        load_settings({"name": "Said", "server": "10.0.0.1"}, {}, file)
    assert str(file) in str(told.value)
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_a_bad_variable_or_option_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match="CANTSTOP_BELL: 'loud' is none of"):
        load_settings({}, {"CANTSTOP_BELL": "loud"}, tmp_path / "config.toml")
    with pytest.raises(ClientError, match="--server: 'a b'"):
        load_settings({"server": "a b"}, {}, tmp_path / "config.toml")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match="cannot read"):
        load_settings({}, {}, tmp_path)
    (tmp_path / "config.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(ClientError, match="UTF-8"):
        load_settings({}, {}, tmp_path / "config.toml")
