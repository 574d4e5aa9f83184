"""What the demo tools say in German: their narrations, and what customers are asked before something is changed."""

from collections.abc import Sequence
from datetime import date, datetime

from assistant import Customer, quoted

_DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
_MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni",
    "Juli", "August", "September", "Oktober", "November", "Dezember",
)  # fmt: skip
_A = {"eye test": "einen Sehtest", "lens fitting": "eine Linsenanpassung"}
_YOUR = {"eye test": "Ihren Sehtest", "lens fitting": "Ihre Linsenanpassung"}
_PRODUCTS = {
    "monthly contact lenses": "Monatslinsen",
    "progressive lenses": "Gleitsichtgläser",
    "reading glasses": "Lesebrille",
    "sunglasses": "Sonnenbrille",
}

# The books keep their words in English; a template looks them up here.
_SERVICES = '{% set german = {"eye test": "Sehtest", "lens fitting": "Linsenanpassung"} %}'
_PRODUCT_NAMES = f"{{% set german = {_PRODUCTS} %}}"
_WEEKDAYS = """
    {% set german = {"Monday": "Montag", "Tuesday": "Dienstag", "Wednesday": "Mittwoch", "Thursday": "Donnerstag",
                     "Friday": "Freitag", "Saturday": "Samstag", "Sunday": "Sonntag"} %}
"""

UPCOMING = (
    _SERVICES
    + """
    {% for one in value[:4] %}
      {% if loop.first %}Sie haben einen Termin
      {% elif loop.index == 2 %}Der nächste danach ist
      {% else %}Dann folgt einer
      {% endif %}
      am {{ one.starts | when }}: {{ german.get(one.service, one.service) }} bei {{ one.optician }}.
    {% else %}Sie haben keine anstehenden Termine.
    {% endfor %}
    {% if value[4:] %}Danach gibt es noch weitere.{% endif %}
    """
)

FREE_SLOTS = """
    {% for one in value.days %}
      Am {{ one.day | day }} können Sie um {{ one.times[:4] | map("time") | list | listing("or") }} kommen
      {%- if one.times | length > 4 %}, oder auch später{% endif %}.
    {% else %}
      {% if value.asked %}Am {{ value.asked | day }} haben wir nichts frei.
      {% else %}In den nächsten Tagen haben wir nichts frei.{% endif %}
    {% endfor %}
"""

BOOKED = (
    _SERVICES
    + """
    Ihr Termin ({{ german.get(value.service, value.service) }}) ist gebucht:
    {{ value.starts | when }} bei {{ value.optician }}.
    """
)

CANCELLED = (
    _SERVICES
    + """
    Ihr Termin am {{ value.starts | when }} ({{ german.get(value.service, value.service) }}) ist abgesagt.
    """
)

MOVED = (
    _SERVICES
    + """
    Ihr Termin ({{ german.get(value.service, value.service) }}) ist verschoben: von {{ value.was | when }}
    auf {{ value.starts | when }} bei {{ value.optician }}.
    """
)

INVOICES = (
    _PRODUCT_NAMES
    + """
    {% set open = value.invoices %}
    {% if not open %}Sie haben keine offenen Rechnungen.
    {% elif open | length == 1 %}
      Bei Ihnen sind {{ value.balance | money }} offen ({{ german.get(open[0].subject, open[0].subject) }}),
      fällig am {{ open[0].due | day }}.
    {% else %}
      Bei Ihnen sind insgesamt {{ value.balance | money }} offen:
      {% for one in open[:3] %}
        {{- ", und " if loop.last and open | length <= 3 else ", " if not loop.first else " " -}}
        {{ one.amount | money }} ({{ german.get(one.subject, one.subject) }}), fällig am {{ one.due | day }}
      {%- endfor %}
      {%- if open | length > 3 %} und {{ open | length - 3 }} weitere{% endif %}.
    {% endif %}
    """
)

ORDERS = (
    _PRODUCT_NAMES
    + """
    {% for one in value[:4] %}
      Ihre Bestellung {{ one.number }} ({{ german.get(one.product, one.product) }})
      {% if one.status == "delivered" %}wurde am {{ one.arrives | day }} geliefert.
      {% elif one.status == "shipped" %}ist unterwegs und sollte am {{ one.arrives | day }} ankommen.
      {% elif one.status == "cancelled" %}ist storniert.
      {% else %}wird noch vorbereitet und sollte am {{ one.arrives | day }} ankommen.
      {% endif %}
    {% else %}Sie haben keine Bestellungen bei uns.
    {% endfor %}
    {% if value[4:] %}Es gibt noch ältere.{% endif %}
    """
)

ORDER_CANCELLED = (
    _PRODUCT_NAMES
    + """
    Ihre Bestellung {{ value.number }} ({{ german.get(value.product, value.product) }}) ist storniert.
    Sie wird Ihnen nicht berechnet.
    """
)

DELIVERY_PHOTO = (
    _PRODUCT_NAMES
    + """
    Das ist das Foto von der Zustellung Ihrer Bestellung {{ value.number }}
    ({{ german.get(value.product, value.product) }}), die am {{ value.delivered | day }} vor Ihrer Tür
    abgestellt wurde.
    """
)

HOURS = (
    _WEEKDAYS
    + """
    {% if value.day and value.hours %}
      Am {{ value.day | day }} haben wir
      von {{ value.hours[0].opens | time }} bis {{ value.hours[0].closes | time }} geöffnet.
    {% elif value.day %}Am {{ value.day | day }} haben wir geschlossen.
    {% else %}
      Wir haben
      {% for one in value.hours %}
        {% if not loop.first %} und {% endif %}
        {% if one.last == one.first %}am {{ german[one.first] }}
        {% else %}von {{ german[one.first] }} bis {{ german[one.last] }}{% endif %}
        von {{ one.opens | time }} bis {{ one.closes | time }}
      {%- endfor %} geöffnet.
      {% if value.closed %}
        Am {% for one in value.closed %}
          {{- " und " if loop.last and not loop.first else ", " if not loop.first else "" }}{{ german[one] }}
        {%- endfor %} haben wir geschlossen.
      {% endif %}
    {% endif %}
    """
)

CONTACT = """
    {% if "email" in value.changed %}Ihre E-Mail-Adresse ist jetzt {{ value.email }}. {% endif %}
    {% if "phone" in value.changed %}Ihre Telefonnummer ist jetzt {{ value.phone }}.{% endif %}
"""

IDENTIFIED = "Danke{% if value.name %}, {{ value.name }}{% endif %}."

CODE_SENT = """
    Wenn {{ value.email }} die Adresse ist, die wir von Ihnen haben, ist ein Code aus sechs Ziffern unterwegs.
    Er gilt {{ value.minutes }} Minuten.
"""


def spoken_with(customer: Customer) -> bool:
    """Whether this conversation is in German."""
    return customer.locale.lower().startswith("de")


def booking(service: str, at: datetime) -> str:
    """Follows "Soll ich", like the others below."""
    return f"für Sie am {when(at)} {_A.get(service, service)} buchen"


def cancelling(service: str, at: datetime) -> str:
    """Which appointment would be cancelled."""
    return f"{_YOUR.get(service, service)} am {when(at)} absagen"


def moving(service: str, was: datetime, at: datetime) -> str:
    """Which appointment would be moved, and to when."""
    return f"{_YOUR.get(service, service)} von {when(was)} auf {when(at)} verschieben"


def cancelling_order(number: int, product: str) -> str:
    """Which order would be cancelled."""
    return f"Ihre Bestellung {number} ({quoted(_PRODUCTS.get(product, product))}) stornieren"


def photo_of(number: int) -> str:
    """What is to be seen on the courier's photo."""
    return f"Ihr Paket vor der Tür (Bestellung {number})"


def changing(changes: Sequence[str]) -> str:
    """What would be changed about how a customer is reached."""
    return f"{' und '.join(changes)} ändern"


def when(value: datetime) -> str:
    """A moment.

    >>> when(datetime(2026, 11, 24, 14))
    'Dienstag, 24. November um 14:00 Uhr'
    """
    return f"{day(value)} um {value.hour}:{value.minute:02} Uhr"


def day(value: date) -> str:
    """A date.

    >>> day(date(2026, 3, 3))
    'Dienstag, 3. März'
    """
    return f"{_DAYS[value.weekday()]}, {value.day}. {_MONTHS[value.month - 1]}"
