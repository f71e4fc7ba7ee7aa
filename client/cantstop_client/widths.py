"""Text in so many terminal cells: cut, or broken at spaces. Pure."""

from cantstop_protocol.text import cells


def cut(text: str, width: int) -> str:
    """The text, shortened to at most ``width`` cells."""
    if len(text) <= width and cells(text) <= width:
        return text
    taken = 0
    for index, character in enumerate(text):
        taken += max(cells(character), 0)
        if taken > width:
            return text[:index]
    return text


def wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    """The text in lines of at most ``width`` cells, broken at spaces where there are any."""
    lines: list[str] = []
    rest = text
    while cells(rest) > width:
        head = cut(rest, width)
        space = head.rfind(" ")
        if space > len(indent):
            head = head[:space]
        head = head or rest[:1]
        lines.append(head.rstrip())
        tail = rest[len(head) :].lstrip()
        if not tail:
            return lines
        rest = (indent if width > 2 * len(indent) else "") + tail
    return [*lines, rest]
