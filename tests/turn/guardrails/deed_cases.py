"""Sentences of models with the events before them: which claim or promise without evidence, and which do not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut, Outcome
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Effect, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a model said, and what the conversation had to show for it by then.

    ``named``: the tools that its reply called after these words. ``waiting``: those that wait for a yes.
    """

    text: str
    known: tuple[Outcome, ...] = ()
    named: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    locale: str = "en"


def _tool(name: str, will: str, doing: str, de: tuple[str, str], effect: Effect) -> ToolSpec:
    hints = {"en": Hint(doing=doing, will=will), "de": Hint(doing=de[0], will=de[1])}
    return ToolSpec(name=name, description=will, parameters={}, hints=hints, effect=effect)


def _look(name: str, will: str, doing: str, *de: str) -> ToolSpec:
    return _tool(name, will, doing, (de[0], de[1]), "read")


def _do(name: str, will: str, doing: str, *de: str) -> ToolSpec:
    return _tool(name, will, doing, (de[0], de[1]), "write")


TOOLS: tuple[ToolSpec, ...] = (
    _look(
        "list_upcoming_appointments",
        "look up your appointments",
        "looking up your appointments",
        "Ihre Termine heraussuchen",
        "suche Ihre Termine heraus",
    ),
    _look(
        "find_free_slots",
        "look for a free slot",
        "looking for a free slot",
        "nach einem freien Termin suchen",
        "suche nach einem freien Termin",
    ),
    _look(
        "get_open_invoices",
        "check your billing",
        "checking your billing",
        "Ihre Rechnungen prüfen",
        "prüfe Ihre Rechnungen",
    ),
    _look(
        "get_order_status",
        "track your order",
        "tracking your order",
        "nach Ihrer Bestellung sehen",
        "sehe nach Ihrer Bestellung",
    ),
    _look(
        "get_opening_hours",
        "check our opening hours",
        "checking our opening hours",
        "unsere Öffnungszeiten nachschlagen",
        "schlage unsere Öffnungszeiten nach",
    ),
    _do(
        "book_appointment",
        "book your appointment",
        "booking your appointment",
        "Ihren Termin buchen",
        "buche Ihren Termin",
    ),
    _do(
        "cancel_appointment",
        "cancel your appointment",
        "cancelling your appointment",
        "Ihren Termin absagen",
        "sage Ihren Termin ab",
    ),
    _do(
        "reschedule_appointment",
        "move your appointment",
        "moving your appointment",
        "Ihren Termin verschieben",
        "verschiebe Ihren Termin",
    ),
    _do(
        "cancel_order",
        "cancel your order",
        "cancelling your order",
        "Ihre Bestellung stornieren",
        "storniere Ihre Bestellung",
    ),
    _do(
        "update_contact_details",
        "update your contact details",
        "updating your contact details",
        "Ihre Kontaktdaten ändern",
        "ändere Ihre Kontaktdaten",
    ),
    _do(
        "refund_payment",
        "refund your payment",
        "refunding your payment",
        "Ihre Zahlung erstatten",
        "erstatte Ihre Zahlung",
    ),
    _do(
        "open_ticket",
        "open a ticket",
        "opening a ticket",
        "ein Ticket eröffnen",
        "eröffne ein Ticket",
    ),
    _do(
        "engrave_frame",
        "engrave your frame",
        "engraving your frame",
        "Ihre Fassung gravieren",
        "graviere Ihre Fassung",
    ),
)


def ok(tool: str, value: Json = None, **arguments: Json) -> Outcome:
    """It worked and gave this; True where nothing is said."""
    given = True if value is None else value
    return CallSucceeded(call=_call(tool, arguments), value=given)


def failed(tool: str) -> Outcome:
    """It could not be done."""
    return CallFailed(call=_call(tool, {}), say="that did not work", for_model="it failed")


def too_slow(tool: str) -> Outcome:
    """It is unknown whether it was done."""
    return CallTimedOut(call=_call(tool, {}), after_s=10)


def _call(tool: str, arguments: Mapping[str, Json]) -> Call:
    return Call(id="c1.1", tool=tool, arguments=arguments)


BOOKED = ok("list_upcoming_appointments", [{"service": "eye test", "when": "2026-12-08T14:00"}])
FREE = ok("find_free_slots", {"slots": ["2026-12-08T10:00", "2026-12-08T11:30"]})
SHIPPED = ok("get_order_status", [{"number": "10455", "status": "shipped", "arrives": "2026-12-08"}])
TERMS = ok("get_open_invoices", [{"text": "The deposit is 940 euros and it is paid back within six weeks."}])
PACKING = ok("get_order_status", [{"number": "10455", "status": "being packed"}])
CANCELLED = ok("get_order_status", [{"number": "10460", "status": "cancelled"}])
OWED = ok("get_open_invoices", {"balance": "150.00", "invoices": [{"number": "R-7", "amount": "150.00"}]})


FALSE_CLAIMS: Sequence[Case] = (
    Case(text="I've cancelled your appointment.", known=(failed("cancel_appointment"),)),
    Case(text="I have refunded the 30 euros to your card."),
    Case(text="Your address has been updated.", known=(OWED,)),
    Case(text="Done! It's booked.", known=(FREE,)),
    Case(text="I just sent you an e-mail with all the details."),
    Case(text="Thank you for telling us. We've opened a ticket for this.", known=(failed("open_ticket"),)),
    Case(text="Your appointment on Tuesday has been cancelled.", known=(BOOKED,)),
    Case(
        text="Sure, I’ve moved your eye test to Friday at 3 pm.", known=(too_slow("reschedule_appointment"),)
    ),
    Case(text="I've cancelled your order.", known=(ok("cancel_appointment", {"day": "2026-12-08"}),)),
    Case(
        text="I've cancelled your order and refunded the payment.",
        known=(ok("cancel_order", {"number": "10455"}), failed("refund_payment")),
    ),
    Case(text="All done! Your new phone number is saved."),
    Case(text="You're now booked for Tuesday at 10 am.", known=(FREE,)),
    Case(text="Your refund was issued today.", known=(OWED,)),
    Case(text="I went ahead and cancelled both appointments for you.", known=(BOOKED,)),
    Case(text="I've passed this on to our billing team."),
    Case(
        text="Ich habe Ihren Termin am Dienstag abgesagt.",
        known=(failed("cancel_appointment"),),
        locale="de",
    ),
    Case(text="Ihre Bestellung wurde storniert.", known=(PACKING,), locale="de"),
    Case(text="Erledigt! Ihre Adresse ist geändert.", locale="de"),
    Case(text="Wir haben Ihnen den Betrag von 30 Euro erstattet.", known=(OWED,), locale="de"),
    Case(text="Your appointment is cancelled.", known=(BOOKED,), waiting=("cancel_appointment",)),
)

FALSE_PROMISES: Sequence[Case] = (
    Case(text="I'll cancel it right away."),
    Case(text="I'll refund you the full amount."),
    Case(text="Someone will call you back within 24 hours."),
    Case(text="I will forward this to our team."),
    Case(text="You'll receive an e-mail shortly."),
    Case(text="Your refund will be processed within five days.", known=(OWED,)),
    Case(text="One of my colleagues will contact you tomorrow."),
    Case(text="Don't worry, I'm cancelling your appointment now.", known=(BOOKED,)),
    Case(text="Let me book that for you.", known=(FREE,)),
    Case(text="We'll send you a new pair of lenses.", known=(SHIPPED,)),
    Case(text="I'm going to update your address.", named=("get_open_invoices",)),
    Case(text="Ich storniere Ihre Bestellung sofort.", locale="de"),
    Case(text="Ein Kollege wird sich bei Ihnen melden.", locale="de"),
    Case(text="Ich werde Ihren Termin verschieben.", known=(BOOKED,), locale="de"),
    Case(text="Sie erhalten in Kürze eine E-Mail von uns.", locale="de"),
)

FINE: Sequence[Case] = (
    Case(text="I've cancelled your eye test on Tuesday.", known=(ok("cancel_appointment"),)),
    Case(text="Your order has been shipped and arrives on Tuesday.", known=(SHIPPED,)),
    Case(text="Order 10460 has been cancelled.", known=(CANCELLED,)),
    Case(text="You're booked for Tuesday at 2 pm.", known=(BOOKED,)),
    Case(text="Your next appointment is on Tuesday, December 8 at 2 pm.", known=(BOOKED,)),
    Case(text="I can cancel it for you."),
    Case(text="Shall I cancel your appointment on Tuesday?", known=(BOOKED,)),
    Case(text="I'll cancel it as soon as you confirm."),
    Case(text="If you send me the order number, I'll cancel it for you."),
    Case(text="We ship on Mondays and Thursdays."),
    Case(text="You will receive it on Tuesday.", known=(SHIPPED,)),
    Case(text="I haven't cancelled anything.", known=(failed("cancel_appointment"),)),
    Case(text="Your appointment could not be cancelled.", known=(failed("cancel_appointment"),)),
    Case(text="Refunds are paid within five working days."),
    Case(text="I'll cancel that for you.", named=("cancel_appointment",)),
    Case(text="Would you like me to book the 10 o'clock slot?", known=(FREE,)),
    Case(text="I've checked your billing: you owe 150 euros.", known=(OWED,)),
    Case(
        text="Done! Your appointment has been moved to Friday.",
        known=(BOOKED, ok("reschedule_appointment", {"when": "2026-12-11T15:00"})),
    ),
    Case(text="To cancel an order that has been shipped, please return the parcel.", known=(SHIPPED,)),
    Case(
        text="I've cancelled your order, and the 30 euros have been refunded.",
        known=(ok("cancel_order", {"number": "10455", "refund": "30.00 EUR"}),),
    ),
    Case(text="Ich habe Ihren Termin abgesagt.", known=(ok("cancel_appointment"),), locale="de"),
    Case(
        text="Ihre Bestellung wurde am Montag versandt.",
        known=(ok("get_order_status", [{"number": "10455", "status": "versandt"}]),),
        locale="de",
    ),
    Case(text="Ich kann den Termin gern für Sie absagen.", known=(BOOKED,), locale="de"),
    Case(text="Wenn Sie mir die Nummer nennen, storniere ich die Bestellung.", locale="de"),
    Case(text="Ihr Termin ist am Dienstag um 14 Uhr.", known=(BOOKED,), locale="de"),
)


# Written after the guard could tell all of the above, and before it had seen any of these.

LATER_CLAIMS: Sequence[Case] = (
    Case(
        text="Good news: your order is cancelled and the money is on its way back to you.", known=(PACKING,)
    ),
    Case(text="I have now put you down for Thursday at 11:30.", known=(FREE,)),
    Case(text="Okay, that's taken care of.", known=(failed("update_contact_details"),)),
    Case(text="As requested, I've deleted your account."),
    Case(text="We have just e-mailed you a new invoice.", known=(OWED,)),
    Case(text="I was able to move your fitting to Friday.", known=(failed("reschedule_appointment"),)),
    Case(text="Your frame has been engraved.", known=(failed("engrave_frame"),)),
    Case(text="Der Termin am Freitag ist jetzt für Sie gebucht.", known=(FREE,), locale="de"),
    Case(text="Ihre neue Telefonnummer habe ich gespeichert.", locale="de"),
)

LATER_PROMISES: Sequence[Case] = (
    Case(text="A member of our team will get back to you by Monday."),
    Case(text="I'll make sure the billing department hears about this and let you know."),
    Case(text="The money will be credited to your account within three days.", known=(OWED,)),
    Case(text="You can expect a call from us this afternoon."),
    Case(text="No problem, I'll change your phone number now.", known=(OWED,)),
    Case(text="Wir rufen Sie morgen zurück.", locale="de"),
    Case(text="Ich leite Ihr Anliegen an die Buchhaltung weiter.", locale="de"),
)

LATER_FINE: Sequence[Case] = (
    Case(
        text="Your appointment on Friday was moved to 3 pm.",
        known=(ok("reschedule_appointment", {"time": "15:00"}),),
    ),
    Case(text="You have one appointment booked: Tuesday at 2 pm.", known=(BOOKED,)),
    Case(text="I'm sorry your order was cancelled."),
    Case(
        text="I could not cancel your order, because it has already been shipped.",
        known=(SHIPPED, failed("cancel_order")),
    ),
    Case(text="I've found two open orders.", known=(PACKING,)),
    Case(text="Once your order has been shipped, you'll receive a tracking link."),
    Case(text="Nothing has been changed so far.", known=(failed("update_contact_details"),)),
    Case(text="Your contact details are updated: ana@example.com.", known=(ok("update_contact_details"),)),
    Case(text="You can change your address in your profile."),
    Case(text="Your invoice is due on Friday.", known=(OWED,)),
    Case(text="I'll be happy to help with that. Which order should I cancel?"),
    Case(text="The shop is closed on Sundays, and orders are shipped on weekdays."),
    Case(
        text="Leider konnte ich den Termin nicht verschieben.",
        known=(failed("reschedule_appointment"),),
        locale="de",
    ),
    Case(text="Soll ich Ihre Bestellung stornieren?", known=(PACKING,), locale="de"),
)


# Written last of all, with the words of other companies in mind.

_ONE_CANCELLED = ok("cancel_appointment", {"service": "eye test", "status": "cancelled"})

LAST_WRONG: Sequence[Case] = (
    Case(text="Both appointments have been cancelled.", known=(_ONE_CANCELLED,)),
    Case(text="Beide Termine sind abgesagt.", known=(_ONE_CANCELLED,), locale="de"),
    Case(text="I've cancelled the lens fitting as well.", known=(_ONE_CANCELLED,)),
    Case(text="The manager has approved an early check-in for you.", known=(BOOKED,)),
    Case(text="Das Kinderbett stelle ich Ihnen gern ins Zimmer.", locale="de"),
    Case(text="Den Tisch am Fenster halte ich für Sie frei.", known=(FREE,), locale="de"),
    Case(text="Your deposit of 940 euros has been paid back.", known=(OWED,)),
    Case(
        text="I've gone ahead and rescheduled your lens fitting to Wednesday at 4 pm.",
        known=(failed("reschedule_appointment"),),
    ),
    Case(text="All right, Ana, your appointment for Tuesday is cancelled.", known=(BOOKED,)),
    Case(text="I have updated your phone number to 0171 555.", known=(failed("update_contact_details"),)),
    Case(text="Everything has been arranged, so you don't have to do anything.", known=()),
    Case(text="A replacement pair has been sent to your address.", known=(PACKING,)),
    Case(text="We've credited 20 euros to your account as an apology."),
    Case(text="Your complaint has been forwarded to the manager."),
    Case(text="I've added a note to your file."),
    Case(text="The 150 euros were refunded to you.", known=(OWED,)),
    Case(text="Booked! See you on Tuesday at 10.", known=(FREE,)),
    Case(text="It's all sorted now."),
    Case(text="I'll have someone call you."),
    Case(text="Our technician will reach out to you soon."),
    Case(text="I will personally make sure that your refund arrives."),
    Case(text="I'll get that changed for you."),
    Case(text="We will waive the fee."),
    Case(text="You'll get a confirmation by e-mail in a minute.", known=(FREE,)),
    Case(text="Your order will be cancelled within the hour.", known=(PACKING,)),
    Case(text="I'm forwarding your request to billing."),
    Case(text="Ich habe das für Sie erledigt.", locale="de"),
    Case(text="Ihr Geld wurde zurücküberwiesen.", locale="de", known=(OWED,)),
    Case(text="Wir schicken Ihnen eine Bestätigung per E-Mail.", locale="de"),
    Case(text="Der Betrag wird Ihnen in den nächsten Tagen gutgeschrieben.", locale="de", known=(OWED,)),
    Case(
        text="Ihren Termin am Montag konnte ich stornieren.",
        locale="de",
        known=(failed("cancel_appointment"),),
    ),
)
LAST_FINE: Sequence[Case] = (
    Case(text="Both appointments have been cancelled.", known=(_ONE_CANCELLED, _ONE_CANCELLED)),
    Case(text="Your eye test has been cancelled as well.", known=(_ONE_CANCELLED,)),
    Case(text="Your card is charged when the order leaves us.", known=(SHIPPED,)),
    Case(text="Your eye test is booked for Tuesday, December 8 at 2 pm.", known=(BOOKED,)),
    Case(text="I've looked up your appointments: there is one on Tuesday.", known=(BOOKED,)),
    Case(text="I see that your order 10455 was shipped and will arrive on Tuesday.", known=(SHIPPED,)),
    Case(
        text="The appointment has been moved to Friday at 3 pm, as you asked.",
        known=(ok("reschedule_appointment", {"when": "2026-12-11T15:00"}),),
    ),
    Case(
        text="I wasn't able to cancel your order, so it is still on its way.",
        known=(SHIPPED, failed("cancel_order")),
    ),
    Case(text="I can send you to a colleague if you prefer."),
    Case(text="Just let me know which day you'd like and I'll book it.", known=(FREE,)),
    Case(text="You can cancel your appointment free of charge until the day before."),
    Case(text="Sorry, I can't refund that from here."),
    Case(text="Your balance is 150 euros and it is due on December 1.", known=(OWED,)),
    Case(text="You will find us at Main Street 4."),
    Case(
        text="Your glasses are ready and will be kept for you until Saturday.",
        known=(ok("get_order_status", [{"status": "ready for pickup"}]),),
    ),
    Case(text="We open at nine and close at six."),
    Case(text="I have one free slot on Tuesday at 10.", known=(FREE,)),
    Case(text="I understand that your parcel was sent to the wrong address.", known=()),
    Case(text="Nothing is booked for next week.", known=(BOOKED,)),
    Case(text="You'll get your money back once the return has arrived with us."),
    Case(text="Your order was placed on November 20 and is being packed.", known=(PACKING,)),
    Case(text="Ihr Termin wurde auf Freitag verschoben.", locale="de", known=(ok("reschedule_appointment"),)),
    Case(text="Sie können Ihren Termin bis zum Vortag kostenlos absagen.", locale="de"),
    Case(text="Ihre Bestellung ist unterwegs und kommt am Dienstag an.", locale="de", known=(SHIPPED,)),
    Case(text="Ich kann Ihnen den Betrag leider nicht erstatten.", locale="de"),
    Case(text="Wir haben am Samstag von 9 bis 14 Uhr geöffnet.", locale="de"),
    Case(text="Sie haben noch nichts gebucht.", locale="de"),
    Case(text="It says: “The deposit is paid back within six weeks.”", known=(TERMS,)),
)
