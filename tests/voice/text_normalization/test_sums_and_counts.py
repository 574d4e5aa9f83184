"""Amounts of money and quantities, as a customer hears them."""

from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows


@check_rows(
    ("text", "said"),
    [
        ("You owe $1,250.50.", "You owe one thousand two hundred fifty dollars and fifty cents."),
        ("That's $0.99.", "That's ninety-nine cents."),
        ("It costs €99.", "It costs ninety-nine euros."),
        (
            "The fee is £12.40 and £1.01.",
            "The fee is twelve pounds and forty pence and one pound and one penny.",
        ),
        ("The price is ¥1200.", "The price is one thousand two hundred yen."),
        ("The total is 1,250 SEK.", "The total is one thousand two hundred fifty Swedish kronor."),
        ("The total is 150.00 EUR.", "The total is one hundred fifty euros."),
        ("Your balance is -$45.00.", "Your balance is minus forty-five dollars."),
        ("A refund of $5.00 was issued.", "A refund of five dollars was issued."),
        ("It is 99,90 € per month.", "It is ninety-nine euros and ninety cents per month."),
        ("Your plan is $29/month.", "Your plan is twenty-nine dollars per month."),
        ("It's $9.99/mo.", "It's nine dollars and ninety-nine cents per month."),
        ("We refunded US$40.", "We refunded forty US dollars."),
        ("It costs CA$15 or A$20.", "It costs fifteen Canadian dollars or twenty Australian dollars."),
        ("The deal was $1.5 million.", "The deal was one point five million dollars."),
        ("About $2k.", "About two thousand dollars."),
        ("We charge $10-$15 or €5–8.", "We charge ten to fifteen dollars or five to eight euros."),
        ("It was 1.250,50 €.", "It was one thousand two hundred fifty euros and fifty cents."),
        ("It was 1 000 EUR.", "It was one thousand euros."),
        ("You'll pay 0 EUR.", "You'll pay zero euros."),
        ("It's $1 or $1.00.", "It's one dollar or one dollar."),
        ("It's 450 kr or kr 450.", "It's four hundred fifty kronor or four hundred fifty kronor."),
        ("They made £1m.", "They made one million pounds."),
        ("It's CHF 20.05.", "It's twenty Swiss francs and five centimes."),
        ("It's $.99 now.", "It's ninety-nine cents now."),
        ("Your $20 credit is there.", "Your twenty dollar credit is there."),
        ("It's 5 USD/day.", "It's five US dollars per day."),
        ("Send 20USD.", "Send twenty US dollars."),
        ("They paid $1,000,000.", "They paid one million dollars."),
        ("It's ₹500.", "It's five hundred rupees."),
        ("It's $12.345 each.", "It's twelve point three four five dollars each."),
    ],
)
def test_money_is_spoken_with_its_name(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("We have 3 appointments.", "We have three appointments."),
        ("There are 1,250 people waiting.", "There are one thousand two hundred fifty people waiting."),
        ("There are 12500 points.", "There are twelve thousand five hundred points."),
        ("That's 1,000,000 points.", "That's one million points."),
        ("It is 3.14.", "It is three point one four."),
        ("It is .5 now.", "It is zero point five now."),
        ("It is -5 degrees.", "It is minus five degrees."),
        ("You get +5 points.", "You get plus five points."),
        ("That's 2 of 3.", "That's two of three."),
        ("50+ shops", "fifty or more shops"),
        ("Your discount is 15%.", "Your discount is fifteen percent."),
        ("It rose by 2.5 %.", "It rose by two point five percent."),
        ("It's 10-15% less.", "It's ten to fifteen percent less."),
        ("You came 1st, 2nd and 3rd.", "You came first, second and third."),
        ("The 21st century.", "The twenty-first century."),
        ("Your 100th order.", "Your one hundredth order."),
        ("The 1st–3rd floor.", "The first to third floor."),
        ("It takes 2-3 days.", "It takes two to three days."),
        ("It takes 10–15 minutes.", "It takes ten to fifteen minutes."),
        ("Take 1/2 of it.", "Take one half of it."),
        ("Add 3/4 cup.", "Add three quarters cup."),
        ("Wait 2 1/2 hours.", "Wait two and a half hours."),
        ("Wait ½ hour or 1½ hours.", "Wait one half hour or one and a half hours."),
        ("We're open 24/7.", "We're open twenty-four seven."),
        ("I give it 4/5 stars.", "I give it four out of five stars."),
        ("It's 50/50.", "It's fifty fifty."),
        ("It's 120/80.", "It's one hundred twenty slash eighty."),
        ("That's version 2.0.1.", "That's version two point zero point one."),
        ("5 + 3 = 8", "five plus three equals eight"),
        ("5 * 3 = 15", "five times three equals fifteen"),
        ("It is > 5 and < 10.", "It is more than five and less than ten."),
        ("~5 items", "about five items"),
        ("Only 1.0 of 10,000.5", "Only one point zero of ten thousand point five"),
        ("It's -12.5 now.", "It's minus twelve point five now."),
        (
            "It's 1234567890123456.",
            "It's one two three, four five six, seven eight nine, zero one two, three four five six.",
        ),
    ],
)
def test_quantities_are_spoken_as_numbers(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("It's -5°C outside.", "It's minus five degrees Celsius outside."),
        (
            "It is 20 °C or 98.6°F.",
            "It is twenty degrees Celsius or ninety-eight point six degrees Fahrenheit.",
        ),
        ("It takes 2h 30m.", "It takes two hours thirty minutes."),
        ("It takes 1h.", "It takes one hour."),
        ("It takes 45 min.", "It takes forty-five minutes."),
        ("It lasts 90 mins or 2 hrs.", "It lasts ninety minutes or two hours."),
        ("Wait 30s.", "Wait thirty seconds."),
        ("It is 1.5 hours long.", "It is one point five hours long."),
        ("In 3 yrs or 1 hr.", "In three years or one hour."),
        ("It weighs 5 kg or 1 kg.", "It weighs five kilograms or one kilogram."),
        ("It weighs 1,5 kg.", "It weighs one point five kilograms."),
        ("It's 5 km away at 50 km/h.", "It's five kilometers away at fifty kilometers per hour."),
        ("The room is 20 m².", "The room is twenty square meters."),
        ("It has 16 GB and 500MB.", "It has sixteen gigabytes and five hundred megabytes."),
        ("Up to 100 Mbps.", "Up to one hundred megabits per second."),
        ("It uses 3 kWh.", "It uses three kilowatt hours."),
        ("It's 6 ft tall.", "It's six feet tall."),
        ("It's 10x15 cm.", "It's ten by fifteen centimeters."),
        ("It's 3x faster.", "It's three times faster."),
        ("It's 12 oz or 2 lbs.", "It's twelve ounces or two pounds."),
        ("A 4K TV.", "A four K TV."),
        ("We have 5k users.", "We have five thousand users."),
        ("A 24-hour window and a 3-day trial.", "A twenty-four-hour window and a three-day trial."),
    ],
)
def test_units_are_spoken_in_full(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said
