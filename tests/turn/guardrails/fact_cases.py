"""Results of several trades and good answers to them, written as people write values."""

from dataclasses import dataclass

from assistant.language.values import Data


@dataclass(frozen=True, slots=True)
class Told:
    """What is known, and answers that hold nothing else. The day is Monday, 23 November 2026."""

    locale: str
    known: tuple[Data, ...]
    answers: tuple[str, ...]


APPOINTMENTS: Data = [
    {"id": "A1001", "starts": "2026-11-24T14:00", "service": "eye test", "optician": "Dr. Lee"},
    {"id": "A1002", "starts": "2026-12-04T10:30", "service": "lens fitting", "optician": "Dr. Novak"},
]
INVOICES: Data = {
    "balance": "150.00",
    "invoices": [
        {"number": 2041, "amount": "120.00", "due": "2026-12-03", "subject": "sunglasses"},
        {"number": 2057, "amount": "30.00", "due": "2026-12-13", "subject": "monthly contact lenses"},
    ],
}
ORDERS: Data = [
    {"number": 10482, "product": "contact lenses", "status": "shipped", "arrives": "2026-11-25"},
    {"number": 10455, "product": "sunglasses", "status": "processing", "arrives": "2026-12-02"},
]
SLOTS: Data = {
    "days": [
        {"day": "2026-11-24", "times": ["09:00", "09:30", "10:00"]},
        {"day": "2026-11-26", "times": ["15:15", "16:45"]},
    ]
}
TERMS: Data = (
    "You can send things back within 30 days of delivery. Refunds take 7 days. Frames have a warranty of 2 years. "
    "Orders above $150 can be paid in 3 instalments. Express costs $7.50 and takes 2 to 4 working days. Write to "
    "service@willow.example or call 503-555-0142, Mon-Fri 9 am - 6 pm. We are at 12 Harbour Street. 15% off on "
    "the second pair."
)
HOTEL: Data = {
    "reservation": "HX-77120",
    "check_in": "2027-01-08",
    "check_out": "2027-01-11",
    "room": {"number": 214, "type": "double"},
    "price_per_night": 145.5,
    "nights": 3,
    "total": 436.5,
    "breakfast_from": "06:30",
}
METER: Data = {
    "contract": "V-2210045",
    "customer_since": "2019-03-01",
    "kwh": 2847,
    "monthly_payment": {"amount": 1240.0, "currency": "EUR"},
    "next_reading": "2026-12-15",
}
BEDINGUNGEN: Data = (
    "Sie können Ware innerhalb von 30 Tagen zurückgeben. Erstattungen dauern 7 Tage. Die Garantie gilt zwei Jahre. "
    "Ab 49,90 € ist der Versand frei, sonst kostet er 4,95 €. Sie erreichen uns unter 030 1234567 oder "
    "hilfe@weide.example, montags bis freitags von 9 bis 18 Uhr, in der Hauptstraße 12. Auf das zweite Paar gibt "
    "es 15 Prozent Rabatt."
)

CASES = (
    Told(
        "en",
        (APPOINTMENTS, INVOICES, "Check my appointments and billing"),
        (
            "You have an eye test on Tuesday, November 24 at 2 pm with Dr. Lee.",
            "Your eye test is tomorrow at 2, and your lens fitting is on Friday, December 4 at 10:30 am.",
            "**Appointments**\n- Tue, Nov 24, 14:00 – eye test\n- Fri, Dec 4, half past ten – lens fitting",
            "You owe $150.00 in all: $120.00 for the sunglasses and $30.00 for the monthly contact lenses.",
            "There are two invoices, no. 2041 ($120) and no. 2057 ($30), which makes a hundred and fifty dollars.",
            "Invoice 2041 is $120.00 and due on December 3, invoice 2057 is $30, due ten days later, on the 13th.",
            "Invoice #2041 over 120 dollars is due in ten days.",
            "The larger one is $90 more than the other: $120 against $30.",
            "On 12/04 at 10.30 am Dr. Novak fits your lenses.",
            "Your next appointment is in one day, on 24 November at two o'clock.",
        ),
    ),
    Told(
        "en",
        (ORDERS, SLOTS, "Where is my order? And when could I come?"),
        (
            "Order 10482 should be with you the day after tomorrow, on the 25th.",
            "Your contact lenses arrive on Wednesday, Nov 25, and the sunglasses on December 2.",
            "Order #10455 comes on 2 December, nine days from now.",
            "You could come tomorrow at 9, 9:30 or 10 am, or on Thursday at 3:15 pm or a quarter to five.",
            "1. Tuesday, November 24: 9 am, 9:30 am, 10 am\n2. Thursday, November 26: 3:15 pm, 4:45 pm",
        ),
    ),
    Told(
        "en",
        (TERMS, "What are your terms?"),
        (
            "You have thirty days from delivery, and the refund takes a week, 7 days at most.",
            "Frames come with a two-year warranty, that is 24 months.",
            "Express delivery is $7.50 and takes 2-4 working days.",
            "Call us at (503) 555-0142 from 9 am to 6 pm, Monday to Friday.",
            "Write to Service@willow.example, or visit us at 12 Harbour Street.",
            "The second pair is 15 percent off.",
            "We're here 24/7 in this chat, and by phone on Wednesdays between 9 and 6.",
            "From $150 on you can pay in three instalments.",
        ),
    ),
    Told(
        "en",
        (HOTEL, METER, "Tell me about my stay and my contract"),
        (
            "Your reservation HX-77120 is for three nights, from January 8 to January 11, 2027.",
            "Room 214 costs $145.50 a night, $436.50 in all. Breakfast starts at half past six.",
            "You check in on Friday the 8th and leave on Monday the 11th.",
            "You used 2,847 kWh and pay €1,240.00 a month.",
            "Contract V-2210045 has been running since March 2019; the next reading is on 15 December.",
        ),
    ),
    Told(
        "de",
        (APPOINTMENTS, INVOICES, "Prüfen Sie bitte meine Termine und Rechnungen"),
        (
            "Sie haben morgen, am 24. November, um 14 Uhr einen Sehtest bei Dr. Lee.",
            "Am Dienstag, den 24.11., um 14 Uhr ist Ihr Sehtest, am 4. Dezember um halb elf der zweite Termin.",
            "- Di., 24.11.2026, 14 Uhr\n- Fr., 4.12.2026, 10:30 Uhr",
            "Offen sind 150,00 €: 120 Euro für die Sonnenbrille und 30 Euro für die Linsen.".replace(
                "€", "$"
            ).replace("Euro", "Dollar"),
            "Es gibt zwei Rechnungen, Nr. 2041 und Nr. 2057, zusammen hundertfünfzig Dollar.",
            "Rechnung 2041 ist in zehn Tagen fällig, am 3. Dezember, Rechnung 2057 am 13.12.",
            "Der erste Termin ist um zwei Uhr, der zweite um 10 Uhr 30.",
        ),
    ),
    Told(
        "de",
        (ORDERS, SLOTS, "Wo ist meine Bestellung, und wann kann ich kommen?"),
        (
            "Die Bestellung 10482 kommt übermorgen, am 25. November.",
            "Bestellung 10455 trifft am Mittwoch, den 2. Dezember ein, also in neun Tagen.",
            "Morgen geht es um 9, 9:30 oder 10 Uhr, am Donnerstag um 15:15 oder 16:45 Uhr.",
            "Am 26.11. ist um viertel nach drei und um viertel vor fünf etwas frei.",
        ),
    ),
    Told(
        "de",
        (BEDINGUNGEN, "Wie sind die Bedingungen?"),
        (
            "Sie haben dreißig Tage Zeit, und das Geld kommt innerhalb einer Woche zurück.",
            "Es gilt eine zweijährige Garantie.",
            "Der Versand kostet 4,95 Euro und ist ab 49,90 € frei.",
            "Rufen Sie uns unter 030/1234567 an, montags bis freitags zwischen 9 und 18 Uhr.",
            "Schreiben Sie an hilfe@weide.example oder kommen Sie in die Hauptstr. 12.",
            "Auf das zweite Paar gibt es 15 % Rabatt.",
            "Mittwochs sind wir von 9-18 Uhr da.",
        ),
    ),
    Told(
        "de",
        (HOTEL, METER, "Was wissen Sie über meinen Aufenthalt und Vertrag?"),
        (
            "Ihre Reservierung HX-77120 gilt für drei Nächte, vom 8. bis 11. Januar 2027.",
            "Zimmer 214 kostet 145,50 € pro Nacht, insgesamt 436,50 €. Frühstück gibt es ab halb sieben.",
            "Sie haben 2.847 kWh verbraucht und zahlen 1.240,00 € im Monat.",
            "Der Vertrag V-2210045 läuft seit März 2019, abgelesen wird am 15.12.",
        ),
    ),
)

SWAPPED = (
    (APPOINTMENTS, "Your eye test is on December 4."),
    (APPOINTMENTS, "Your eye test is at 10:30 am, the lens fitting at 2 pm."),
    (APPOINTMENTS, "You have an appointment on November 24 at 10:30 am."),
    (APPOINTMENTS, "Dr. Lee expects you on Friday, December 4."),
    (APPOINTMENTS, "The lens fitting is tomorrow at 2 pm."),
    (APPOINTMENTS, "On November 24 at 2 pm you have your lens fitting."),
    (APPOINTMENTS, "- November 24, 10:30 am: lens fitting with Dr. Novak"),
    (INVOICES, "Invoice 2041 is $30.00."),
    (INVOICES, "Invoice 2057 over $120.00 is due on December 13."),
    (INVOICES, "You owe $120.00 for the monthly contact lenses."),
    (INVOICES, "The sunglasses are due on December 13."),
    (INVOICES, "- Invoice 2041: $120.00, due Dec 13\n- Invoice 2057: $30.00, due Dec 3"),
    (ORDERS, "Order 10482 arrives on December 2."),
    (ORDERS, "The sunglasses arrive on November 25."),
    (SLOTS, "On Tuesday, November 24 you could come at 3:15 pm."),
    (SLOTS, "There is a slot on November 26 at 9:30 am."),
)
"""Values that are known, of the wrong thing."""

SAME = (
    (APPOINTMENTS, "Your eye test and your lens fitting are on November 24 and December 4."),
    (APPOINTMENTS, "The lens fitting on December 4 is ten days after the eye test on November 24."),
    (INVOICES, "120 for the sunglasses by 3 December and 30 for the lenses by 13 December."),
    (INVOICES, "Both invoices, $120.00 and $30.00, are open."),
    (INVOICES, "Invoices 2041 and 2057 are due on December 3 and December 13."),
    (INVOICES, "Invoice 2041 is not the one over $30.00."),
    (ORDERS, "Order 10482 left us, and order 10455 will be sent by December 2."),
    (ORDERS, "Your parcel with order number 10482 will be delivered by November 25."),
    (SLOTS, "You could come on November 24 at 9 am or on November 26 at 3:15 pm."),
)
"""Sentences about several records that are right."""

INVENTED = (
    "You can call us at 503-555-0199.",
    "It's on Friday at 9 am.",
    "Sending it back costs $7.95.",
    "Your order number is 55120.",
    "Write to help@shop.example.",
    "It will be there tomorrow.",
    "Das kostet zwölf Euro fünfzig.",
    "Wir sind in der Lindenallee 7.",
    "You get 20% off.",
    "It takes three weeks.",
)
"""Said when nothing is known."""

NO_FACTS = (
    "One moment, please.",
    "You have two appointments and three orders.",
    "The second one is for reading glasses.",
    "How can I help you today?",
    "1. Put the order number into the parcel.\n2. Use the label.",
    "We are there for you 24/7.",
    "Please type in the six digits.",
    "Guten Morgen! Wie kann ich helfen?",
    "May I ask which one you mean?",
    "Give me a minute, I'd like to march through the list.",
)
"""Answers without facts, good whatever is known."""
