from typing_extensions import TypedDict

WORD = "from the package"


class State(TypedDict, total=False):
    word: str
