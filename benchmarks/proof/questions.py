"""What the companies ask before they change something: each read-back, and the request that leads to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.proof.rows import Call, TradeName


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A read-back: what the customer asks for, in English and German, and the calls that they are asked about."""

    trade: TradeName
    request: str
    request_de: str
    calls: tuple[Call, ...]
    read_back: str
    read_back_de: str

    def asks_for(self, locale: str) -> str:
        """What the customer says first."""
        return self.request_de if locale == "de" else self.request

    def asked(self, locale: str) -> str:
        """The whole question."""
        return self.read_back_de if locale == "de" else self.read_back


_EYE_TEST: Call = ("cancel_appointment", {"appointment_id": "A1001"})
_SUNGLASSES: Call = ("cancel_order", {"order_number": "10455"})
_DOUBLE: Call = ("cancel_reservation", {"number": "R-5521"})
_SINGLE: Call = ("cancel_reservation", {"number": "R-5604"})
_VACCINATION: Call = ("cancel_visit", {"number": "V-81"})
_DENTAL_CHECK: Call = ("move_visit", {"number": "V-82", "day": "2026-12-10", "time": "09:00"})
_TYRES: Call = ("book_service", {"day": "2026-11-27", "time": "08:00"})
_LENA: Call = ("cancel_lesson", {"number": "L-14"})
_CONCERT: Call = ("reserve_tickets", {"tickets": 3})
_READING: Call = ("enter_reading", {"kwh": 48210})
_PAYMENT: Call = ("change_payment", {"amount": 75})

QUESTIONS: Mapping[str, Question] = {
    "A": Question(
        trade="optician",
        request="Please cancel my eye test",
        request_de="Bitte sagen Sie meinen Sehtest ab",
        calls=(_EYE_TEST,),
        read_back="Shall I cancel your eye test on Tuesday, November 24 at 2 pm?",
        read_back_de="Soll ich Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen?",
    ),
    "L": Question(
        trade="optician",
        request="Please cancel my lens fitting",
        request_de="Bitte sagen Sie meine Linsenanpassung ab",
        calls=(("cancel_appointment", {"appointment_id": "A1002"}),),
        read_back="Shall I cancel your lens fitting on Friday, December 4 at 10:30 am?",
        read_back_de="Soll ich Ihre Linsenanpassung am Freitag, 4. Dezember um 10:30 Uhr absagen?",
    ),
    "B": Question(
        trade="optician",
        request="Please cancel my eye test and my sunglasses",
        request_de="Bitte sagen Sie meinen Sehtest ab und stornieren Sie die Sonnenbrille",
        calls=(_EYE_TEST, _SUNGLASSES),
        read_back="Shall I cancel your eye test on Tuesday, November 24 at 2 pm"
        " and cancel order 10455, sunglasses?",
        read_back_de="Soll ich Ihren Sehtest am Dienstag, 24. November um 14:00 Uhr absagen"
        " und Ihre Bestellung 10455 (Sonnenbrille) stornieren?",
    ),
    "M": Question(
        trade="optician",
        request="Please move my eye test to Thursday",
        request_de="Bitte verlegen Sie meinen Sehtest auf Donnerstag",
        calls=(
            (
                "reschedule_appointment",
                {"appointment_id": "A1001", "new_day": "2026-11-26", "new_time": "14:00"},
            ),
        ),
        read_back="Shall I move your eye test from Tuesday, November 24 at 2 pm"
        " to Thursday, November 26 at 2 pm?",
        read_back_de="Soll ich Ihren Sehtest von Dienstag, 24. November um 14:00 Uhr"
        " auf Donnerstag, 26. November um 14:00 Uhr verschieben?",
    ),
    "E": Question(
        trade="optician",
        request="My e-mail address is ana@new.example now",
        request_de="Meine E-Mail-Adresse ist jetzt ana@new.example",
        calls=(("update_contact_details", {"email": "ana@new.example"}),),
        read_back="Shall I change your e-mail address to ana@new.example?",
        read_back_de="Soll ich Ihre E-Mail-Adresse auf ana@new.example ändern?",
    ),
    "C": Question(
        trade="optician",
        request="I have a new e-mail address, ana@new.example, and a new number, 555 0199",
        request_de="Ich habe eine neue E-Mail-Adresse, ana@new.example, und eine neue Nummer, 555 0199",
        calls=(("update_contact_details", {"email": "ana@new.example", "phone": "555 0199"}),),
        read_back="Shall I change your e-mail address to ana@new.example and your phone number to 555 0199?",
        read_back_de="Soll ich Ihre E-Mail-Adresse auf ana@new.example und Ihre Telefonnummer auf 555 0199"
        " ändern?",
    ),
    "O": Question(
        trade="optician",
        request="Please cancel my sunglasses",
        request_de="Bitte stornieren Sie meine Sonnenbrille",
        calls=(_SUNGLASSES,),
        read_back="Shall I cancel order 10455, sunglasses?",
        read_back_de="Soll ich Ihre Bestellung 10455 (Sonnenbrille) stornieren?",
    ),
    "K": Question(
        trade="optician",
        request="Can I have an eye test on Wednesday at 3?",
        request_de="Kann ich am Mittwoch um 15 Uhr einen Sehtest haben?",
        calls=(("book_appointment", {"day": "2026-11-25", "time": "15:00", "service": "eye test"}),),
        read_back="Shall I book an eye test for you on Wednesday, November 25 at 3 pm?",
        read_back_de="Soll ich für Sie am Mittwoch, 25. November um 15:00 Uhr einen Sehtest buchen?",
    ),
    "H1": Question(
        trade="inn",
        request="Please cancel my double room",
        request_de="Bitte stornieren Sie mein Doppelzimmer",
        calls=(_DOUBLE,),
        read_back="Shall I cancel your double room from Friday, December 11 to Monday, December 14?",
        read_back_de="Soll ich Ihr Doppelzimmer von Freitag, 11. Dezember bis Montag, 14. Dezember stornieren?",
    ),
    "H2": Question(
        trade="inn",
        request="Can I come a week later in January?",
        request_de="Kann ich im Januar eine Woche später kommen?",
        calls=(("change_dates", {"number": "R-5604", "arrives": "2027-01-15", "leaves": "2027-01-17"}),),
        read_back="Shall I move your single room from January 8 to 10 to January 15 to 17?",
        read_back_de="Soll ich Ihr Einzelzimmer vom 8. bis 10. Januar auf den 15. bis 17. Januar verlegen?",
    ),
    "H3": Question(
        trade="inn",
        request="We'd like breakfast, and the invoice at jonas@new.example",
        request_de="Wir hätten gern Frühstück, und die Rechnung an jonas@new.example",
        calls=(
            ("add_breakfast", {"number": "R-5521", "guests": 2}),
            ("send_invoice", {"email": "jonas@new.example"}),
        ),
        read_back="Shall I add breakfast for 2 guests to your double room"
        " and send the invoice to jonas@new.example?",
        read_back_de="Soll ich Frühstück für 2 Gäste zu Ihrem Doppelzimmer hinzufügen"
        " und die Rechnung an jonas@new.example senden?",
    ),
    "H4": Question(
        trade="inn",
        request="Can we leave at 1 pm in December?",
        request_de="Können wir im Dezember erst um 13 Uhr abreisen?",
        calls=(("request_late_checkout", {"number": "R-5521", "time": "13:00"}),),
        read_back="Shall I request a late check-out at 1 pm for your double room?",
        read_back_de="Soll ich einen späten Check-out um 13 Uhr für Ihr Doppelzimmer anfragen?",
    ),
    "H5": Question(
        trade="inn",
        request="Please cancel both my rooms",
        request_de="Bitte stornieren Sie meine beiden Zimmer",
        calls=(_DOUBLE, _SINGLE),
        read_back="Shall I cancel your double room from Friday, December 11 to Monday, December 14"
        " and cancel your single room from Friday, January 8 to Sunday, January 10?",
        read_back_de="Soll ich Ihr Doppelzimmer von Freitag, 11. Dezember bis Montag, 14. Dezember stornieren"
        " und Ihr Einzelzimmer von Freitag, 8. Januar bis Sonntag, 10. Januar stornieren?",
    ),
    "V1": Question(
        trade="vet",
        request="Please cancel Momo's vaccination",
        request_de="Bitte sagen Sie Momos Impfung ab",
        calls=(_VACCINATION,),
        read_back="Shall I cancel Momo's vaccination on Tuesday, December 1 at 10:20 am?",
        read_back_de="Soll ich Momos Impfung am Dienstag, 1. Dezember um 10:20 Uhr absagen?",
    ),
    "V2": Question(
        trade="vet",
        request="Please move Bruno's dental check to Thursday at 9",
        request_de="Bitte verschieben Sie Brunos Zahnkontrolle auf Donnerstag um 9",
        calls=(_DENTAL_CHECK,),
        read_back="Shall I move Bruno's dental check from Tuesday, December 8 at 4 pm"
        " to Thursday, December 10 at 9 am?",
        read_back_de="Soll ich Brunos Zahnkontrolle von Dienstag, 8. Dezember um 16 Uhr"
        " auf Donnerstag, 10. Dezember um 9 Uhr verschieben?",
    ),
    "V3": Question(
        trade="vet",
        request="Please order two bags of the kidney diet food for Momo",
        request_de="Bitte bestellen Sie zwei Säcke Nierendiät-Futter für Momo",
        calls=(("order_food", {"product": "kidney diet food", "bags": 2}),),
        read_back="Shall I order 2 bags of kidney diet food for Momo?",
        read_back_de="Soll ich 2 Säcke Nierendiät-Futter für Momo bestellen?",
    ),
    "V4": Question(
        trade="vet",
        request="Please cancel Momo's vaccination and move Bruno's dental check to Thursday at 9",
        request_de="Bitte sagen Sie Momos Impfung ab und verschieben Sie Brunos Zahnkontrolle auf Donnerstag um 9",
        calls=(_VACCINATION, _DENTAL_CHECK),
        read_back="Shall I cancel Momo's vaccination on Tuesday, December 1 at 10:20 am"
        " and move Bruno's dental check from Tuesday, December 8 at 4 pm to Thursday, December 10 at 9 am?",
        read_back_de="Soll ich Momos Impfung am Dienstag, 1. Dezember um 10:20 Uhr absagen"
        " und Brunos Zahnkontrolle von Dienstag, 8. Dezember um 16 Uhr"
        " auf Donnerstag, 10. Dezember um 9 Uhr verschieben?",
    ),
    "G1": Question(
        trade="garage",
        request="What about the brake discs of my Golf?",
        request_de="Was ist mit den Bremsscheiben meines Golfs?",
        calls=(("approve_repair", {"number": "G-310"}),),
        read_back="Shall I replace the brake discs of your Golf for $310?",
        read_back_de="Soll ich die Bremsscheiben Ihres Golfs für 310 $ erneuern?",
    ),
    "G2": Question(
        trade="garage",
        request="I need winter tyres on the Polo, Friday at 8",
        request_de="Ich brauche Winterreifen auf dem Polo, Freitag um 8",
        calls=(_TYRES,),
        read_back="Shall I book a winter tyre change for your Polo on Friday, November 27 at 8 am?",
        read_back_de="Soll ich für Ihren Polo am Freitag, 27. November um 8 Uhr"
        " einen Winterreifenwechsel buchen?",
    ),
    "G4": Question(
        trade="garage",
        request="I need a replacement car for three days, and winter tyres on the Polo on Friday at 8",
        request_de="Ich brauche einen Leihwagen für drei Tage, und Winterreifen auf dem Polo am Freitag um 8",
        calls=(("reserve_car", {"days": 3}), _TYRES),
        read_back="Shall I reserve a replacement car for 3 days from Tuesday, November 24"
        " and book a winter tyre change for your Polo on Friday, November 27 at 8 am?",
        read_back_de="Soll ich ab Dienstag, 24. November für 3 Tage einen Leihwagen reservieren"
        " und für Ihren Polo am Freitag, 27. November um 8 Uhr einen Winterreifenwechsel buchen?",
    ),
    "S1": Question(
        trade="school",
        request="Please cancel Lena's piano lesson on Tuesday",
        request_de="Bitte sagen Sie Lenas Klavierstunde am Dienstag ab",
        calls=(_LENA,),
        read_back="Shall I cancel Lena's piano lesson on Tuesday, November 24 at 4:30 pm?",
        read_back_de="Soll ich Lenas Klavierstunde am Dienstag, 24. November um 16:30 Uhr absagen?",
    ),
    "S2": Question(
        trade="school",
        request="Please move my guitar lesson to Friday at 5",
        request_de="Bitte verschieben Sie meine Gitarrenstunde auf Freitag um 17 Uhr",
        calls=(("move_lesson", {"number": "L-15", "day": "2026-11-27", "time": "17:00"}),),
        read_back="Shall I move your guitar lesson from Thursday, November 26 at 6 pm"
        " to Friday, November 27 at 5 pm?",
        read_back_de="Soll ich Ihre Gitarrenstunde von Donnerstag, 26. November um 18 Uhr"
        " auf Freitag, 27. November um 17 Uhr verschieben?",
    ),
    "S3": Question(
        trade="school",
        request="We would like to rent a violin for half a year",
        request_de="Wir möchten für ein halbes Jahr eine Geige leihen",
        calls=(("rent_violin", {"months": 6}),),
        read_back="Shall I reserve a rental violin for 6 months from Tuesday, December 1 for $28 a month?",
        read_back_de="Soll ich ab Dienstag, 1. Dezember für 6 Monate eine Leihgeige für 28 $ im Monat"
        " reservieren?",
    ),
    "S4": Question(
        trade="school",
        request="Three tickets for the winter concert, please",
        request_de="Drei Karten für das Winterkonzert, bitte",
        calls=(_CONCERT,),
        read_back="Shall I reserve 3 tickets for the winter concert on Friday, December 18 at 7 pm?",
        read_back_de="Soll ich 3 Karten für das Winterkonzert am Freitag, 18. Dezember um 19 Uhr reservieren?",
    ),
    "S5": Question(
        trade="school",
        request="Please cancel Lena's piano lesson, and three tickets for the winter concert",
        request_de="Bitte sagen Sie Lenas Klavierstunde ab, und drei Karten für das Winterkonzert",
        calls=(_LENA, _CONCERT),
        read_back="Shall I cancel Lena's piano lesson on Tuesday, November 24 at 4:30 pm"
        " and reserve 3 tickets for the winter concert on Friday, December 18 at 7 pm?",
        read_back_de="Soll ich Lenas Klavierstunde am Dienstag, 24. November um 16:30 Uhr absagen"
        " und 3 Karten für das Winterkonzert am Freitag, 18. Dezember um 19 Uhr reservieren?",
    ),
    "P1": Question(
        trade="energy",
        request="My meter shows 48210",
        request_de="Mein Zähler zeigt 48210",
        calls=(_READING,),
        read_back="Shall I enter a meter reading of 48,210 kWh?",
        read_back_de="Soll ich den Zählerstand 48.210 kWh eintragen?",
    ),
    "P2": Question(
        trade="energy",
        request="Please lower my monthly payment to 75 dollars",
        request_de="Bitte senken Sie meinen Abschlag auf 75 Dollar",
        calls=(_PAYMENT,),
        read_back="Shall I change your monthly payment from $92 to $75?",
        read_back_de="Soll ich Ihren monatlichen Abschlag von 92 $ auf 75 $ ändern?",
    ),
    "P3": Question(
        trade="energy",
        request="Can the technician come on the 9th after lunch instead?",
        request_de="Kann der Techniker stattdessen am 9. nach dem Mittag kommen?",
        calls=(("move_technician", {"day": "2026-12-09", "time": "13:00"}),),
        read_back="Shall I move the meter replacement from Thursday, December 3 at 8 am"
        " to Wednesday, December 9 at 1 pm?",
        read_back_de="Soll ich den Zählerwechsel von Donnerstag, 3. Dezember um 8 Uhr"
        " auf Mittwoch, 9. Dezember um 13 Uhr verschieben?",
    ),
    "P4": Question(
        trade="energy",
        request="I want to end my contract at the end of the year",
        request_de="Ich möchte meinen Vertrag zum Jahresende kündigen",
        calls=(("end_contract", {"day": "2026-12-31"}),),
        read_back="Shall I end your electricity contract on Thursday, December 31?",
        read_back_de="Soll ich Ihren Stromvertrag zum Donnerstag, 31. Dezember kündigen?",
    ),
    "P5": Question(
        trade="energy",
        request="My meter shows 48210, and I want to pay 75 dollars a month",
        request_de="Mein Zähler zeigt 48210, und ich möchte 75 Dollar im Monat zahlen",
        calls=(_READING, _PAYMENT),
        read_back="Shall I enter a meter reading of 48,210 kWh and change your monthly payment from $92 to $75?",
        read_back_de="Soll ich den Zählerstand 48.210 kWh eintragen"
        " und Ihren monatlichen Abschlag von 92 $ auf 75 $ ändern?",
    ),
}
