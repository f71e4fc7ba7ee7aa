"""Where a server's options come from, which wins, and what is said about those that cannot be."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from cantstop_server.config import Limits, ServerConfig
from cantstop_server.settings import OPTIONS, Settings, SettingsError, read_settings

PATH = "/etc/cantstop.toml"
EVERYTHING = """
bind = "0.0.0.0"
port = 7000
database = "/var/lib/cantstop/games.db"
name = "Friday"
bot_delay = 2
busy_timeout = 1.5
password = "sesame"
tls_cert = "cert.pem"
tls_key = "key.pem"
admin_token = "0123456789abcdef"
metrics_public = true
log_level = "info"
log_format = "json"

[limits]
"""


def read(
    file: str | None = None, environment: dict[str, str] | None = None, **command_line: Any
) -> Settings:
    return read_settings(command_line, environment or {}, file, PATH, database="default.db")


def refusal(*arguments: Any, **command_line: Any) -> str:
    with pytest.raises(SettingsError) as refused:
        read(*arguments, **command_line)
    text = str(refused.value)
    assert "\n" not in text
    return text


def test_without_anything_all_is_default() -> None:
    assert read() == Settings(ServerConfig(database="default.db"), "warning", "text")


def test_every_option_can_stand_in_the_file() -> None:
    limits = {field.name: getattr(Limits(), field.name) for field in fields(Limits)}
    other = {name: value * 2 for name, value in limits.items()}
    text = EVERYTHING + "\n".join(f"{name} = {value}" for name, value in other.items())
    assert read(text) == Settings(
        ServerConfig(
            bind="0.0.0.0",
            port=7000,
            database="/var/lib/cantstop/games.db",
            name="Friday",
            bot_delay=2.0,
            busy_timeout=1.5,
            password="sesame",
            tls_cert="cert.pem",
            tls_key="key.pem",
            admin_token="0123456789abcdef",
            metrics_public=True,
            limits=Limits(**other),
        ),
        "info",
        "json",
    )


def test_the_example_of_the_readme_is_a_configuration() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    example = re.search(r"^```toml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert example
    settings = read(example[1])
    assert settings.server.limits.rooms == 200
    assert (settings.server.tls_key, settings.log_format) == ("/etc/cantstop/key.pem", "json")


def test_no_field_of_the_configuration_is_left_out() -> None:
    in_file = {key for key in OPTIONS if "." not in key} - {"log_level", "log_format"}
    not_for_files = {"limits", "private"}
    assert in_file == {field.name for field in fields(ServerConfig)} - not_for_files
    assert {key for key in OPTIONS if "." in key} == {
        f"limits.{field.name}" for field in fields(Limits)
    }


@pytest.mark.parametrize("key", OPTIONS)
def test_every_default_is_a_value_that_may_be_given(key: str) -> None:
    config = read().server
    name = key.removeprefix("limits.")
    holder: Any = config.limits if name != key else config
    if hasattr(holder, name) and getattr(holder, name) != "":
        assert OPTIONS[key].accepts(getattr(holder, name))


def test_the_command_line_wins_over_the_environment_and_that_over_the_file() -> None:
    file, environment = (
        "port = 1\nname = 'one'\nbind = '::1'",
        {
            "CANTSTOP_PORT": "2",
            "CANTSTOP_SERVER_NAME": "two",
        },
    )
    config = read(file, environment, port=3, name=None).server
    assert (config.port, config.name, config.bind) == (3, "two", "::1")


def test_every_option_has_its_variable() -> None:
    environment = {
        "CANTSTOP_BIND": "::",
        "CANTSTOP_DATABASE": "x.db",
        "CANTSTOP_BOT_DELAY": "0.5",
        "CANTSTOP_PASSWORD": " 12 ",
        "CANTSTOP_METRICS_PUBLIC": "Yes",
        "CANTSTOP_LOG_FORMAT": "json",
        "CANTSTOP_LIMITS_ROOMS": "12",
        "CANTSTOP_LIMITS_CHAT_RATE": "3",
        "CANTSTOP_ADMIN_TOKEN": "",
    }
    settings = read(None, environment)
    config = settings.server
    assert (config.bind, config.database, config.bot_delay) == ("::", "x.db", 0.5)
    assert (config.password, config.metrics_public, config.admin_token) == (" 12 ", True, "")
    assert (config.limits.rooms, config.limits.chat_rate) == (12, 3.0)
    assert settings.log_format == "json"
    assert len({option.variable for option in OPTIONS.values()}) == len(OPTIONS)


def test_what_else_is_in_the_environment_is_nobodys_business() -> None:
    environment = {"CANTSTOP_NAME": "Ann", "CANTSTOP_DATA_DIR": "/x", "PORT": "80", "PATH": "/bin"}
    assert read(None, environment) == read()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 7112", ["'prot'", "did you mean port?"]),
        ("zzz = 1", ["'zzz'", "bind, port, database"]),
        ("private = true", ["'private'"]),
        ("rooms = 5", ["'rooms'", "limits.rooms"]),
        ("[limits]\nromos = 5", ["'limits.romos'", "did you mean limits.rooms?"]),
        ("[limit]\nrooms = 5", ["'limit'"]),
        ("limits = 5", ["limits is a table"]),
        ("[[limits]]\nrooms = 5", ["limits is a table"]),
        ("[port]\nx = 1", ["port is a whole number"]),
        ("port = '7112'", ["port is a whole number from 0 to 65535, not '7112'"]),
        ("port = 70000", ["port", "65535", "70000"]),
        ("port = -1", ["port", "-1"]),
        ("port = true", ["port", "True"]),
        ("port = 7112.0", ["port", "7112.0"]),
        ("bot_delay = 'fast'", ["bot_delay is a number of seconds from 0 to 60, not 'fast'"]),
        ("bot_delay = nan", ["bot_delay", "nan"]),
        ("bot_delay = inf", ["bot_delay", "inf"]),
        ("name = 5", ["name is a text"]),
        ("bind = ''", ["bind is a text of 1 to 255"]),
        ('name = "a\\u0000b"', ["name is a text"]),
        ("metrics_public = 'yes'", ["metrics_public is true or false"]),
        ("metrics_public = 1", ["metrics_public is true or false"]),
        ("log_level = 'loud'", ["log_level is one of debug, info, warning, error, not 'loud'"]),
        ("[limits]\nrooms = 0", ["limits.rooms", "from 1 to", "not 0"]),
        ("[limits]\nping_interval = 0", ["limits.ping_interval", "seconds"]),
        ("[limits]\nchat_rate = '1'", ["limits.chat_rate is a number from"]),
        ("[limits]\nrooms = 1979-05-27", ["limits.rooms", "1979"]),
        ("tls_cert = 'cert.pem'", ["tls_cert is given without tls_key"]),
        ("tls_key = 'key.pem'", ["tls_key is given without tls_cert"]),
        ("port = ", ["is not TOML", "Invalid value"]),
        ("port = 1\nport = 2", ["is not TOML", "overwrite"]),
        ("bind = 'x'\nport 7112", ["is not TOML", "line 2"]),
    ],
)
def test_what_is_wrong_in_the_file_is_one_line_with_file_key_and_what_is_expected(
    text: str, words: list[str]
) -> None:
    told = refusal(text)
    for word in words:
        assert word in told
    assert PATH in told or "TLS needs both" in told


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("CANTSTOP_PORT", "tcp://10.0.0.1:7112", ["CANTSTOP_PORT is a whole number"]),
        ("CANTSTOP_PORT", "7_112", ["CANTSTOP_PORT", "7_112"]),
        ("CANTSTOP_PORT", "9" * 5000, ["CANTSTOP_PORT"]),
        ("CANTSTOP_BOT_DELAY", "nan", ["CANTSTOP_BOT_DELAY"]),
        ("CANTSTOP_METRICS_PUBLIC", "maybe", ["CANTSTOP_METRICS_PUBLIC is true or false"]),
        ("CANTSTOP_LIMITS_ROMS", "1", ["CANTSTOP_LIMITS_ROMS", "CANTSTOP_LIMITS_ROOMS"]),
    ],
)
def test_what_is_wrong_in_the_environment_names_the_variable(
    variable: str, text: str, words: list[str]
) -> None:
    told = refusal(None, {variable: text})
    assert len(told) < 300
    for word in words:
        assert word in told


def test_what_is_wrong_on_the_command_line_names_the_flag() -> None:
    assert refusal(port=70000).startswith("--port is a whole number from 0 to 65535")
    assert refusal(bot_delay=-1.0).startswith("--bot-delay is")


def test_secrets_are_in_no_message_and_no_representation() -> None:
    for key in ("password", "admin_token"):
        assert "hunter2" not in refusal(f'{key} = ["hunter2"]')
        assert "hunter2" not in refusal(f'{key} = "{"hunter2" * 100}"')
    assert "at most 64" in refusal(password="x" * 65)
    assert "of 16 to 128" in refusal('admin_token = "short"')
    settings = read('password = "hunter2"\nadmin_token = "hunter2hunter2hunter2"')
    assert "hunter2" not in repr(settings)
