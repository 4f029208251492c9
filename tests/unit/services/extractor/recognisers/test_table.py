"""Strings and what must be read in them: kind, exact quote, value as JSON."""

import datetime as dt

import pytest

from services.extractor.recognisers import recognise
from services.extractor.values import to_json

MONDAY = dt.date(2026, 3, 2)

NUMBERS = [
    ("Ordered 12 chairs", "12", "12"),
    ("Ordered 1,250 chairs from the shop", "1,250", "1250"),
    ("3.5 litres", "3.5", "3.5"),
    ("Menge: 2,75 kg", "2,75", "2.75"),
    ("Gesamtlänge 1.284,50 m", "1.284,50", "1284.5"),
    ("1'250.75 in all", "1'250.75", "1250.75"),
    ("3’429.90 in all", "3’429.90", "3429.9"),
    ("1\u00a0287,40 en tout", "1\u00a0287,40", "1287.4"),
    ("1\u202f287 pages", "1\u202f287", "1287"),
    ("en tout 1 287,40", "1 287,40", "1287.4"),
    ("1,12,500.00 in words", "1,12,500.00", "112500"),
    ("12,34,567 people", "12,34,567", "1234567"),
    ("1.234.567 Einwohner", "1.234.567", "1234567"),
    ("1,234,567 people", "1,234,567", "1234567"),
    ("0,075 kg", "0,075", "0.075"),
    ("0.042 g", "0.042", "0.042"),
    ("costs ,89 apiece", ",89", "0.89"),
    (".5 of it", ".5", "0.5"),
    ("Net (4,215.60)", "(4,215.60)", "-4215.6"),
    ("Change (48,616) over the year", "(48,616)", "-48616"),
    ("Adjustment 18.75-", "18.75-", "-18.75"),
    ("It was -7 outside", "-7", "-7"),
    ("It was \u22127.5 outside", "\u22127.5", "-7.5"),
    ("three (3) valves", "3", "3"),
    ("pages 10-20", "20", "20"),
    ("Total.....28,54", "28,54", "28.54"),
    ("sold for 412k", "412k", "412000"),
    ("18K readers", "18K", "18000"),
    ("2.4M views", "2.4M", "2400000"),
    ("3 million people", "3 million", "3000000"),
    ("1,5 Mio. Einwohner", "1,5 Mio.", "1500000"),
    ("2 Mrd. Umsatz", "2 Mrd.", "2000000000"),
    ("5 lakh rupees", "5 lakh", "500000"),
    ("2 crore", "2 crore", "20000000"),
    ("7 thousand miles", "7 thousand", "7000"),
    ("5kg of rice", "5", "5"),
    ("the 3rd time", "3", "3"),
    ("½ cup", "½", "0.5"),
    ("1½ cups", "1½", "1.5"),
    ("3/4 cup", "3/4", "0.75"),
    ("2 1/2 cups", "2 1/2", "2.5"),
    ("two hundred and five rooms", "two hundred and five", "205"),
    ("twenty-one pilots", "twenty-one", "21"),
    ("one thousand two hundred", "one thousand two hundred", "1200"),
    ("half a dozen eggs", "half a dozen", "6"),
    ("two dozen crates", "two dozen", "24"),
    ("a couple of days ago we met", "a couple of", "2"),
    ("dreihundertfünfundzwanzig Seiten", "dreihundertfünfundzwanzig", "325"),
    ("zweitausend Stück", "zweitausend", "2000"),
    ("quatre-vingt-dix-sept pages", "quatre-vingt-dix-sept", "97"),
    ("soixante-douze pages", "soixante-douze", "72"),
    ("mille deux cents euros", "mille deux cents", "1200"),
    ("tres mil trescientos cincuenta", "tres mil trescientos cincuenta", "3350"),
    ("Peso neto: 3.350 kg", "3.350", "3350"),
    ("T0tal 1O4.S0", "1O4.S0", "104.5"),
    ("数量は5個です", "5", "5"),
]
MONEY = [
    ("paid 389.00 EUR", "389.00 EUR", "389.00", "EUR"),
    ("paid €389", "€389", "389", "EUR"),
    ("paid 389 €", "389 €", "389", "EUR"),
    ("cost $1,499.95", "$1,499.95", "1499.95", "USD"),
    ("cost £12", "£12", "12", "GBP"),
    ("₹1,23,456.00 paid", "₹1,23,456.00", "123456.00", "INR"),
    ("Rs. 500 paid", "Rs. 500", "500", "INR"),
    ("1'250.00 CHF", "1'250.00 CHF", "1250.00", "CHF"),
    ("CHF 1’250.00", "CHF 1’250.00", "1250.00", "CHF"),
    ("Gesamt 1.284,50 EUR", "1.284,50 EUR", "1284.50", "EUR"),
    ("nur ,89 €", ",89 €", "0.89", "EUR"),
    ("Saldo 12,-€", "12,-€", "12", "EUR"),
    ("raised $2.4M", "$2.4M", "2400000.0", "USD"),
    ("2.5 million euros", "2.5 million euros", "2500000.0", "EUR"),
    ("20 dollars", "20 dollars", "20", "USD"),
    ("99 zł", "99 zł", "99", "PLN"),
    ("150 Kč", "150 Kč", "150", "CZK"),
    ("R$ 35,90", "R$ 35,90", "35.90", "BRL"),
    ("US$ 20", "US$ 20", "20", "USD"),
    ("¥5000", "¥5000", "5000", "JPY"),
    ("fee -$5.00", "-$5.00", "-5.00", "USD"),
    ("loss $(5,337.00)", "$(5,337.00)", "-5337.00", "USD"),
    ("USD 1,234.50", "USD 1,234.50", "1234.50", "USD"),
    ("70,97 EUR", "70,97 EUR", "70.97", "EUR"),
    ("NOK 450", "NOK 450", "450", "NOK"),
    ("250 SEK", "250 SEK", "250", "SEK"),
]
DATES = [
    ("on 2026-07-04", "2026-07-04", "2026-07-04"),
    ("on 2026/07/04", "2026/07/04", "2026-07-04"),
    ("am 12.07.2026", "12.07.2026", "2026-07-12"),
    ("am 1.3.26", "1.3.26", "2026-03-01"),
    ("seen 25/12/2025", "25/12/2025", "2025-12-25"),
    ("seen 12/25/2025", "12/25/2025", "2025-12-25"),
    ("seen 25-12-2025", "25-12-2025", "2025-12-25"),
    ("on 3 November 2026", "3 November 2026", "2026-11-03"),
    ("on 3rd of November 2026", "3rd of November 2026", "2026-11-03"),
    ("on 3 Nov 2026", "3 Nov 2026", "2026-11-03"),
    ("on 3-Nov-2026", "3-Nov-2026", "2026-11-03"),
    ("on November 3, 2026", "November 3, 2026", "2026-11-03"),
    ("on Nov. 3rd 2026", "Nov. 3rd 2026", "2026-11-03"),
    ("am 5. März 2026", "5. März 2026", "2026-03-05"),
    ("am 24. Dez. 2025", "24. Dez. 2025", "2025-12-24"),
    ("le 1er août 2024", "1er août 2024", "2024-08-01"),
    ("le 14 juillet 2025", "14 juillet 2025", "2025-07-14"),
    ("el 5 de marzo de 2026", "5 de marzo de 2026", "2026-03-05"),
    ("il 2 giugno 2025", "2 giugno 2025", "2025-06-02"),
    ("12APR25", "12APR25", "2025-04-12"),
    ("batch 20261103 shipped", "20261103", "2026-11-03"),
    ("in 2026-W45-2", "2026-W45-2", "2026-11-03"),
    ("2026年11月3日", "2026年11月3日", "2026-11-03"),
    ("due 9 March", "9 March", "2026-03-09"),
    ("due March 9th", "March 9th", "2026-03-09"),
    ("seen on 28 December", "28 December", "2025-12-28"),
    ("am 9.3. fällig", "9.3.", "2026-03-09"),
    ("tomorrow", "tomorrow", "2026-03-03"),
    ("yesterday", "yesterday", "2026-03-01"),
    ("the day after tomorrow", "the day after tomorrow", "2026-03-04"),
    ("next Friday", "next Friday", "2026-03-06"),
    ("last Friday", "last Friday", "2026-02-27"),
    ("by Thursday", "Thursday", "2026-03-05"),
    ("in two weeks", "in two weeks", "2026-03-16"),
    ("in 3 days", "in 3 days", "2026-03-05"),
    ("in a month", "in a month", "2026-04-02"),
    ("two days ago", "two days ago", "2026-02-28"),
    ("by the end of next month", "the end of next month", "2026-04-30"),
    ("at the end of this month", "the end of this month", "2026-03-31"),
    ("übermorgen", "übermorgen", "2026-03-04"),
    ("vor zwei Wochen", "vor zwei Wochen", "2026-02-16"),
    ("demain", "demain", "2026-03-03"),
    ("il y a 3 jours", "il y a 3 jours", "2026-02-27"),
    ("dans 2 semaines", "dans 2 semaines", "2026-03-16"),
    ("hace 2 semanas", "hace 2 semanas", "2026-02-16"),
]
TIMES = [
    ("at 22:40", "22:40", "22:40"),
    ("at 9:05:30", "9:05:30", "09:05:30"),
    ("at 3:30 pm", "3:30 pm", "15:30"),
    ("at 12:15 a.m.", "12:15 a.m.", "00:15"),
    ("at 7pm", "7pm", "19:00"),
    ("at 5 p.m. sharp", "5 p.m.", "17:00"),
    ("um 14 Uhr", "14 Uhr", "14:00"),
    ("um 15.30 Uhr", "15.30 Uhr", "15:30"),
    ("à 14h30", "14h30", "14:30"),
    ("at noon", "noon", "12:00"),
    ("half past three", "half past three", "03:30"),
    ("quarter to nine", "quarter to nine", "08:45"),
    ("come at 8 in the evening", "8", "20:00"),
]
DATETIMES = [
    ("2 Nov 2026 23:30 CET", "2 Nov 2026 23:30", "2026-11-02T23:30"),
    ("2026-11-03T10:20:30Z", "2026-11-03T10:20:30Z", "2026-11-03T10:20:30"),
    ("2026-11-03 10:20", "2026-11-03 10:20", "2026-11-03T10:20"),
    ("10/Oct/2026:13:55:36 -0700", "10/Oct/2026:13:55:36 -0700", "2026-10-10T13:55:36"),
    ("March 5, 2026 at 3:30 p.m.", "March 5, 2026 at 3:30 p.m.", "2026-03-05T15:30"),
    ("3 août 2024 à 14h30", "3 août 2024 à 14h30", "2024-08-03T14:30"),
    ("tomorrow at 5 pm", "tomorrow at 5 pm", "2026-03-03T17:00"),
    ("um 14:00 am 5. März 2026", "14:00 am 5. März 2026", "2026-03-05T14:00"),
]
DURATIONS = [
    ("within 45 days", "45 days", 45 * 86400),
    ("a 45-day trial", "45-day", 45 * 86400),
    ("1 h 30 min", "1 h 30 min", 5400),
    ("2 hours and 15 minutes", "2 hours and 15 minutes", 8100),
    ("90 minutes", "90 minutes", 5400),
    ("PT45M", "PT45M", 2700),
    ("P2W", "P2W", 14 * 86400),
    ("half an hour", "half an hour", 1800),
    ("an hour", "an hour", 3600),
    ("two and a half hours", "two and a half hours", 9000),
    ("a fortnight", "a fortnight", 14 * 86400),
    ("three weeks", "three weeks", 21 * 86400),
    ("3 Tage", "3 Tage", 3 * 86400),
    ("2 semaines", "2 semaines", 14 * 86400),
    ("5 business days", "5 business days", 5 * 86400),
    ("from 22:40 to 06:10", "22:40 to 06:10", 27000),
]
TEXTS = [
    ("write to marta.k@example.org.", "email", "marta.k@example.org"),
    ("<o'neill+x@mail.example.co.uk>", "email", "o'neill+x@mail.example.co.uk"),
    ("see https://example.org/a_(b)?q=1.", "url", "https://example.org/a_(b)?q=1"),
    ("see www.example.com, please", "url", "www.example.com"),
    ("see example.de/kontakt", "url", "example.de/kontakt"),
    ("call +49 30 901820", "phone", "+49 30 901820"),
    ("Tel: +49 (0)30 901820", "phone", "+49 (0)30 901820"),
    ("call (030) 5551", "phone", "(030) 5551"),
    ("ring 0151 555 0199 today", "phone", "0151 555 0199"),
    ("phone 415-555-2671", "phone", "415-555-2671"),
    ("IBAN DE89 3704 0044 0532 0130 00", "iban", "DE89 3704 0044 0532 0130 00"),
    ("GB82WEST12345698765432", "iban", "GB82WEST12345698765432"),
    ("card 4111 1111 1111 1111", "card", "4111 1111 1111 1111"),
    ("VAT DE136695976", "vat", "DE136695976"),
    ("order #A-48213 arrived", "id", "A-48213"),
    ("invoice INV-2026/0042", "id", "INV-2026/0042"),
    ("Parcel KX-7741 arrived", "id", "KX-7741"),
    ("受注番号はJP-5582で", "id", "JP-5582"),
    ("Member no. 000417 renewed", "id", "000417"),
    ("Vault code 7F-20.", "id", "7F-20"),
    ("seat B12", "id", "B12"),
    ("lnvoice N0: DS0O0238", "id", "DS0O0238"),
]
NOTHING = [
    ("version 1.2.3", "number"), ("Room A-19", "money"), ("may I go", "date"), ("31.02.2026", "date"),
    ("a 3:2 ratio", "time"),
    ("25:99", "time"), ("one of them", "duration"), ("not@an", "email"), ("DE89 3704 0044 0532 0130 01", "iban"),
    ("4111 1111 1111 1112", "card"), ("plain words", "id"), ("Second-hand", "date"), ("2026-11-03", "phone"),
    ("March 2026", "date"),
]  # fmt: skip


def read(text: str, kind: str) -> list[tuple[str, str]]:
    found = recognise(text, reference=MONDAY).candidates
    assert all(0 <= c.start < c.end <= len(text) for c in found)
    return [(text[c.start : c.end], to_json(c.value)) for c in found if c.kind == kind]


@pytest.mark.parametrize(("text", "quote", "value"), NUMBERS)
def test_number(text: str, quote: str, value: str) -> None:
    assert (quote, value) in read(text, "number")


@pytest.mark.parametrize(("text", "quote", "amount", "currency"), MONEY)
def test_money(text: str, quote: str, amount: str, currency: str) -> None:
    assert (quote, f'{{"amount": "{amount}", "currency": "{currency}"}}') in read(text, "money")


@pytest.mark.parametrize(("text", "quote", "value"), DATES)
def test_date(text: str, quote: str, value: str) -> None:
    assert (quote, f'"{value}"') in read(text, "date")


@pytest.mark.parametrize(("text", "quote", "value"), TIMES)
def test_time(text: str, quote: str, value: str) -> None:
    assert (quote, f'"{value}"') in read(text, "time")


@pytest.mark.parametrize(("text", "quote", "value"), DATETIMES)
def test_datetime(text: str, quote: str, value: str) -> None:
    assert (quote, f'"{value}"') in read(text, "datetime")


@pytest.mark.parametrize(("text", "quote", "seconds"), DURATIONS)
def test_duration(text: str, quote: str, seconds: int) -> None:
    assert (quote, str(seconds)) in read(text, "duration")


@pytest.mark.parametrize(("text", "kind", "quote"), TEXTS)
def test_text_kind(text: str, kind: str, quote: str) -> None:
    assert (quote, f'"{quote}"') in read(text, kind)


@pytest.mark.parametrize(("text", "kind"), NOTHING)
def test_is_not(text: str, kind: str) -> None:
    assert read(text, kind) == []
