"""A call whose sound comes to our own ears, and goes out of our own mouth."""

from assistant.conversation.entries import CustomerSaid
from assistant.testing.scripted_model import says
from tests.server.phone.company import Company
from tests.server.phone.media_caller import calling

PICK_UP = "You can pick them up at our shop in Park Street. "
HOURS = "We are there from nine to five. "
BRING = "Please bring your order number with you."


async def said(company: Company, call: str) -> list[str]:
    return [one.entry.text for one in await company.entries(call) if isinstance(one.entry, CustomerSaid)]


async def test_a_caller_is_greeted_heard_and_answered(company: Company) -> None:
    voice = company.speaking("Are my glasses ready?")
    async with company.open(says(PICK_UP + HOURS), via="media", voice=voice) as shop, calling(shop) as ana:
        await shop.clock.sleep(9)
        assert "You are talking to an automated assistant." in shop.mouth.said
        greeted_s = ana.played_s
        assert greeted_s > 5
        await ana.speaks(1.0, then_s=12)
        assert await said(shop, ana.call) == ["Are my glasses ready?"]
        assert shop.mouth.said[-2:] == [PICK_UP.strip(), HOURS.strip()]
        length_s = 0.06 * len(PICK_UP.strip() + HOURS.strip())
        assert abs(ana.played_s - greeted_s - length_s) < 0.1
        assert await company.heard(ana.call) == {"t1/m1": len(PICK_UP + HOURS)}
