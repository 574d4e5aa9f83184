"""Numbers of orders and phones, and addresses, as a listener writes them down."""

from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows


@check_rows(
    ("text", "said"),
    [
        ("Call 555-0142.", "Call five five five, zero one four two."),
        ("Call +1 415 555 0142.", "Call plus one, four one five, five five five, zero one four two."),
        (
            "Call +1 (415) 555-0142 ext. 12.",
            "Call plus one, four one five, five five five, zero one four two, extension one two.",
        ),
        ("Call (415) 555-0142.", "Call four one five, five five five, zero one four two."),
        ("Call 415-555-0142 now.", "Call four one five, five five five, zero one four two, now."),
        ("Call 415.555.0142.", "Call four one five, five five five, zero one four two."),
        ("Call 1-800-555-0199.", "Call one, eight zero zero, five five five, zero one nine nine."),
        ("Call +49 30 1234567.", "Call plus four nine, three zero, one two three, four five six seven."),
        ("Call 030 1234567.", "Call zero three zero, one two three, four five six seven."),
        (
            "Call +44 20 7946 0958.",
            "Call plus four four, two zero, seven nine four six, zero nine five eight.",
        ),
        ("Call +46701234567.", "Call plus four six seven, zero one two, three four five, six seven."),
        ("Call 911 now.", "Call nine one one now."),
        ("Call 0800 123 456.", "Call zero eight zero zero, one two three, four five six."),
    ],
)
def test_phone_numbers_are_said_in_groups(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("Invoice INV-2041 is paid.", "Invoice I N V, two zero four one is paid."),
        ("Order A-10482 shipped.", "Order A, one zero four, eight two shipped."),
        ("Order #10482 shipped.", "Order number one zero four, eight two shipped."),
        ("Your order 10482 shipped.", "Your order one zero four, eight two shipped."),
        (
            "Orders 1042, 1043 and 1044 are late.",
            "Orders one zero four two, one zero four three and one zero four four are late.",
        ),
        ("Your order number is 20481.", "Your order number is two zero four, eight one."),
        ("Order no. A-10482", "Order number A, one zero four, eight two"),
        ("Invoice no. 1042", "Invoice number one zero four two"),
        ("Booking BK7F2Q is confirmed.", "Booking B K, seven, F, two, Q is confirmed."),
        ("Your booking reference is XJ4K9P.", "Your booking reference is X J, four, K, nine, P."),
        ("Ticket #42 is mine.", "Ticket number forty-two is mine."),
        ("Ticket #4211 is open.", "Ticket number four two one one is open."),
        ("The card ending in 4242.", "The card ending in four two four two."),
        ("The card **** 4242.", "The card ending in four two four two."),
        ("The last 4 digits are 4242.", "The last four digits are four two four two."),
        ("Use the code SPRING25.", "Use the code spring, two five."),
        ("Your code is 482913.", "Your code is four eight two, nine one three."),
        ("Your PIN is 0042.", "Your PIN is zero zero four two."),
        (
            "Tracking number 1Z999AA10123456784",
            "Tracking number one, Z, nine nine nine, A A, one zero one, two three four, five six seven, eight four",
        ),
        (
            "Your account 123456789 is active.",
            "Your account one two three, four five six, seven eight nine is active.",
        ),
        ("It's in Q4 of the A4 format.", "It's in Q four of the A four format."),
        ("Case 019ab3c4-5d6e-7f80-9012-345678901234", "Case the ID ending in one two three four"),
        ("Springfield, IL 62704", "Springfield, IL six two seven, zero four"),
        ("The COVID-19 rules", "The covid nineteen rules"),
        ("B2B at gate B12", "B two B at gate B twelve"),
        ("Seat 14C", "Seat fourteen C"),
        ("iPhone 15", "iPhone fifteen"),
        ("Room 204", "Room two hundred four"),
        ("an mp3 file", "an mp three file"),
        ("Ref #a10482", "Ref A, one zero four, eight two"),
        ("No. 5 is next.", "Number five is next."),
        ("Is the answer no? I have no. 5.", "Is the answer no? I have number five."),
        ("My order 66 is here.", "My order sixty-six is here."),
    ],
)
def test_codes_are_spelled(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("Write to ana@example.com.", "Write to ana at example dot com."),
        (
            "Write to ana.berg+x@web-shop.co.uk!",
            "Write to ana dot berg plus x at web dash shop dot co dot uk!",
        ),
        ("Write to ana42@example.com, please", "Write to ana four two at example dot com, please"),
        ("See https://www.example.com/orders/1042?x=1.", "See the link in the chat."),
        ("See www.example.com.", "See example dot com."),
        ("See example.com/returns for more.", "See example dot com slash returns for more."),
        ("See https://shop.example.", "See shop dot example."),
        ("See (https://shop.example/a/b/c).", "See, the link in the chat."),
        ("See http://127.0.0.1:8000/x", "See the link in the chat"),
        ("Follow @example.", "Follow at example."),
    ],
)
def test_addresses_are_spoken_by_their_characters_or_their_place(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said
