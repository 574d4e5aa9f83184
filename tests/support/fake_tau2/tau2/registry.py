"""The domains: parcels, and one whose customers have tools too."""

import hashlib
import json
from collections.abc import Callable
from enum import StrEnum
from types import SimpleNamespace

from pydantic import BaseModel


class ToolType(StrEnum):
    READ = "read"
    WRITE = "write"


class Place(BaseModel):
    city: str
    floor: int = 0


class Parcel(BaseModel):
    status: str
    place: Place
    weight: float


class ParcelDB(BaseModel):
    parcels: dict[str, Parcel]


class ParcelTools:
    def __init__(self) -> None:
        there = Place(city="Hamburg")
        self.db = ParcelDB(parcels={"P1": Parcel(status="waiting", place=there, weight=2.5)})

    @property
    def tools(self) -> dict[str, Callable[..., object]]:
        return {"find_parcel": self.find_parcel, "send_parcel": self.send_parcel}

    def tool_type(self, tool_name: str) -> ToolType:
        return ToolType.WRITE if tool_name == "send_parcel" else ToolType.READ

    def find_parcel(self, number: str) -> Parcel:
        """Find a parcel.

        Args:
            number: such as 'P1'.
        """
        if number not in self.db.parcels:
            raise ValueError("Parcel not found")
        return self.db.parcels[number]

    def send_parcel(self, number: str, place: Place | dict[str, object]) -> Parcel:
        """Send a parcel somewhere else. Ask the user first.

        Args:
            number: such as 'P1'.
            place: where to.
        """
        parcel = self.find_parcel(number)
        parcel.place = place if isinstance(place, Place) else Place.model_validate(place)
        parcel.status = "on its way"
        return parcel


class Environment:
    def __init__(self, user_tools: object | None = None) -> None:
        self.tools, self.user_tools = ParcelTools(), user_tools

    def get_policy(self) -> str:
        return (
            "The current time is 2024-06-01 09:30:00 EST.\nAsk for {{confirmation}} before you send a parcel."
        )

    def get_db_hash(self) -> str:
        content = json.dumps(self.tools.db.model_dump(), sort_keys=True, default=str)
        return hashlib.sha256(content.encode()).hexdigest()

    def make_tool_call(self, tool_name: str, requestor: str, **arguments: object) -> object:
        assert requestor == "assistant"
        return self.tools.tools[tool_name](**arguments)


def _task(number: int, wish: str, *actions: tuple[str, dict[str, object]], **more: object) -> SimpleNamespace:
    return SimpleNamespace(
        id=str(number),
        description=SimpleNamespace(purpose=f"Tests {wish}"),
        user_scenario=f"Instructions:\n\tYou want {wish}",
        initial_state=more.get("initial_state"),
        evaluation_criteria=SimpleNamespace(
            actions=[
                SimpleNamespace(name=name, arguments=given, requestor="assistant") for name, given in actions
            ],
            communicate_info=more.get("communicate_info", []),
            nl_assertions=more.get("nl_assertions"),
        ),
    )


TO_BERLIN: dict[str, object] = {"number": "P1", "place": {"city": "Berlin", "floor": 3}}


class Registry:
    def get_domains(self) -> list[str]:
        return ["parcels", "telecom"]

    def get_env_constructor(self, name: str) -> Callable[[], Environment]:
        return Environment if name == "parcels" else lambda: Environment(user_tools=object())

    def get_tasks_loader(self, name: str) -> Callable[[str], list[SimpleNamespace]]:
        every = [
            _task(
                0,
                "your parcel P1 sent to Berlin",
                ("find_parcel", {"number": "P1"}),
                ("send_parcel", TO_BERLIN),
                communicate_info=["2.5"],
            ),
            _task(1, "a parcel that does not exist", ("send_parcel", {**TO_BERLIN, "number": "P9"})),
            _task(2, "what is not allowed", nl_assertions=["The agent should refuse."]),
            _task(3, "to begin elsewhere", initial_state={"agent_data": {}}),
        ]
        return lambda split: every if split == "base" else every[:1]


registry = Registry()
