"""Numbers, dates and the order of words are as en-US has them, in UTC."""

import pytest

from tests.typescript.driving import drive

# Taken from Node 20 with TZ=UTC and LANG=en_US.UTF-8.
LOCALE = {
    "(0).toLocaleString()": "0",
    "(-0).toLocaleString()": "-0",
    "(1234567.891).toLocaleString()": "1,234,567.891",
    "(1234567.8915).toLocaleString()": "1,234,567.892",
    "(-1234.5).toLocaleString()": "-1,234.5",
    "(999.9995).toLocaleString()": "1,000",
    "(1e21).toLocaleString()": "1,000,000,000,000,000,000,000",
    "(123456789012345680000).toLocaleString()": "123,456,789,012,345,680,000",
    "(1e-7).toLocaleString()": "0",
    "(0.1+0.2).toLocaleString()": "0.3",
    "(1.005).toLocaleString('en-US',{minimumFractionDigits:2,maximumFractionDigits:2})": "1.01",
    "(2.5).toLocaleString('en-US',{maximumFractionDigits:0})": "3",
    "(3.5).toLocaleString('en-US',{maximumFractionDigits:0})": "4",
    "(-2.5).toLocaleString('en-US',{maximumFractionDigits:0})": "-3",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'USD'})": "$1,234.50",
    "(-1234.5).toLocaleString('en-US',{style:'currency',currency:'USD'})": "-$1,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'EUR'})": "\u20ac1,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'JPY'})": "\xa51,235",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'CHF'})": "CHF\xa01,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'GBP'})": "\xa31,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'INR'})": "\u20b91,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'CAD'})": "CA$1,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'AUD'})": "A$1,234.50",
    "(1234.5).toLocaleString('en-US',{style:'currency',currency:'usd'})": "$1,234.50",
    (
        "(1234).toLocaleString('en-US',{style:'currency',currency:'USD',maximumFractionDigits:0})"
    ): "$1,234",
    "(0.1234).toLocaleString('en-US',{style:'percent'})": "12%",
    "(0.1234).toLocaleString('en-US',{style:'percent',minimumFractionDigits:1})": "12.3%",
    "(0.125).toLocaleString('en-US',{style:'percent',maximumFractionDigits:1})": "12.5%",
    "(1.255).toLocaleString('en-US',{style:'percent'})": "126%",
    "(1234).toLocaleString('en-US',{useGrouping:false})": "1234",
    "(5).toLocaleString('en-US',{minimumIntegerDigits:2})": "05",
    "(5).toLocaleString('en-US',{minimumFractionDigits:2})": "5.00",
    "(1234567).toLocaleString('en-US',{notation:'compact'})": "1.2M",
    "(1234).toLocaleString('en-US',{notation:'compact'})": "1.2K",
    "(999999).toLocaleString('en-US',{notation:'compact'})": "1M",
    "(15300).toLocaleString('en-US',{notation:'compact'})": "15K",
    "(153000).toLocaleString('en-US',{notation:'compact'})": "153K",
    "(12).toLocaleString('en-US',{notation:'compact'})": "12",
    "(1.25).toLocaleString('en-US',{notation:'compact'})": "1.3",
    "(1234567).toLocaleString('en-US',{maximumSignificantDigits:3})": "1,230,000",
    "(0.00012345).toLocaleString('en-US',{maximumSignificantDigits:2})": "0.00012",
    "(5).toLocaleString('en-US',{signDisplay:'always'})": "+5",
    "(-5).toLocaleString('en-US',{signDisplay:'never'})": "5",
    "(0).toLocaleString('en-US',{signDisplay:'exceptZero'})": "0",
    "(5).toLocaleString('en-US',{signDisplay:'exceptZero'})": "+5",
    "NaN.toLocaleString()": "NaN",
    "Infinity.toLocaleString()": "\u221e",
    "(-Infinity).toLocaleString()": "-\u221e",
    "(1234567890123456789n).toLocaleString()": "1,234,567,890,123,456,789",
    "(-1234n).toLocaleString()": "-1,234",
    "(1234n).toLocaleString('en-US',{style:'currency',currency:'USD'})": "$1,234.00",
    "[1234.5,2].toLocaleString()": "1,234.5,2",
    "new Date(0).toLocaleString()": "1/1/1970, 12:00:00 AM",
    "new Date(0).toLocaleDateString()": "1/1/1970",
    "new Date(0).toLocaleTimeString()": "12:00:00 AM",
    "new Date(1e12).toLocaleString('en-US')": "9/9/2001, 1:46:40 AM",
    "new Date(1e12).toLocaleString('en-US',{timeZone:'UTC'})": "9/9/2001, 1:46:40 AM",
    (
        "new Date(1e12).toLocaleDateString('en-US',{year:'numeric',month:'long',day:'numeric'})"
    ): "September 9, 2001",
    (
        "new "
        "Date(1e12).toLocaleDateString('en-US',{weekday:'long',year:'numeric',month:'long',"
        "day:'numeric'})"
    ): "Sunday, September 9, 2001",
    "new Date(1e12).toLocaleDateString('en-US',{month:'short',day:'numeric'})": "Sep 9",
    (
        "new Date(1e12).toLocaleDateString('en-US',{month:'short',day:'numeric',year:'numeric'})"
    ): "Sep 9, 2001",
    (
        "new Date(1e12).toLocaleDateString('en-US',{year:'numeric',month:'2-digit',day:'2-digit'})"
    ): "09/09/2001",
    "new Date(1e12).toLocaleDateString('en-US',{month:'long',year:'numeric'})": "September 2001",
    "new Date(1e12).toLocaleDateString('en-US',{weekday:'short'})": "Sun",
    "new Date(1e12).toLocaleDateString('en-US',{weekday:'long'})": "Sunday",
    "new Date(1e12).toLocaleDateString('en-US',{year:'numeric'})": "2001",
    "new Date(1e12).toLocaleDateString('en-US',{month:'long'})": "September",
    "new Date(1e12).toLocaleDateString('en-US',{dateStyle:'full'})": "Sunday, September 9, 2001",
    "new Date(1e12).toLocaleDateString('en-US',{dateStyle:'long'})": "September 9, 2001",
    "new Date(1e12).toLocaleDateString('en-US',{dateStyle:'medium'})": "Sep 9, 2001",
    "new Date(1e12).toLocaleDateString('en-US',{dateStyle:'short'})": "9/9/01",
    (
        "new Date(1e12).toLocaleString('en-US',{dateStyle:'medium',timeStyle:'short'})"
    ): "Sep 9, 2001, 1:46 AM",
    (
        "new Date(1e12).toLocaleString('en-US',{dateStyle:'full',timeStyle:'long'})"
    ): "Sunday, September 9, 2001 at 1:46:40 AM UTC",
    (
        "new Date(1e12).toLocaleString('en-US',{dateStyle:'long',timeStyle:'short'})"
    ): "September 9, 2001 at 1:46 AM",
    (
        "new Date(1e12).toLocaleString('en-US',{dateStyle:'short',timeStyle:'medium'})"
    ): "9/9/01, 1:46:40 AM",
    "new Date(1e12).toLocaleTimeString('en-US',{hour:'2-digit',minute:'2-digit'})": "01:46 AM",
    (
        "new Date(1e12).toLocaleTimeString('en-US',{hour:'numeric',minute:'2-digit',hour12:false})"
    ): "01:46",
    "new Date(0).toLocaleTimeString('en-US',{hourCycle:'h23'})": "00:00:00",
    "new Date(1e12).toLocaleTimeString('en-US',{timeStyle:'short'})": "1:46 AM",
    "new Date(1e12).toLocaleTimeString('en-US',{hour:'numeric'})": "1 AM",
    (
        "new "
        "Date(1e12).toLocaleTimeString('en-US',{hour:'numeric',minute:'numeric',"
        "timeZoneName:'short'})"
    ): "1:46 AM UTC",
    (
        "new "
        "Date(1e12).toLocaleString('en-US',{month:'short',day:'numeric',hour:'numeric',"
        "minute:'2-digit'})"
    ): "Sep 9, 1:46 AM",
    (
        "new "
        "Date(1e12).toLocaleString('en-US',{weekday:'short',month:'short',day:'numeric',"
        "year:'numeric',hour:'2-digit',minute:'2-digit'})"
    ): "Sun, Sep 9, 2001, 01:46 AM",
    "new Date(1e12).toLocaleDateString('en-US',{day:'numeric'})": "9",
    "new Date(1e12).toLocaleDateString('en-US',{month:'numeric',day:'numeric'})": "9/9",
    "new Date(1e12).toLocaleDateString(undefined,{month:'long',day:'numeric'})": "September 9",
    (
        "new Date(1e12).toLocaleTimeString([], {hour:'2-digit',minute:'2-digit',second:'2-digit'})"
    ): "01:46:40 AM",
    "new Date(-62135596800000).toLocaleDateString()": "1/1/1",
    "new Date(NaN).toLocaleString()": "Invalid Date",
    "'B'.localeCompare('a')": 1,
    "'a'.localeCompare('a')": 0,
    '"ä".localeCompare("z")': -1,
    "['b','a','C'].sort((x,y)=>x.localeCompare(y)).join()": "a,b,C",
    "'I'.toLocaleLowerCase()": "i",
    "'ab'.toLocaleUpperCase()": "AB",
    "'item10'.localeCompare('item9', undefined, {numeric: true})": 1,
    "'a'.localeCompare('B')": -1,
    "'a'.localeCompare('A')": -1,
}


@pytest.mark.parametrize(("expression", "shown"), LOCALE.items())
def test_a_locale_string_is_as_node_has_it_in_english_and_utc(
    expression: str, shown: object
) -> None:
    assert drive(expression).value == shown


WORDS = [
    "résumé",
    "resume",
    "Resume",
    "Zed",
    "zebra",
    "item10",
    "item9",
    "10",
    "9",
    "_a",
    "a b",
    "ab",
    "Ärger",
    "ß",
    "st",
]


def test_words_are_sorted_as_node_sorts_them_in_english() -> None:
    plain, numeric = drive(
        f"const w = {WORDS}; [[...w].sort((a, b) => a.localeCompare(b)),"
        " [...w].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))]"
    ).value
    assert plain == [
        "_a",
        "10",
        "9",
        "a b",
        "ab",
        "Ärger",
        "item10",
        "item9",
        "resume",
        "Resume",
        "résumé",
        "ß",
        "st",
        "zebra",
        "Zed",
    ]
    assert numeric == [
        "_a",
        "9",
        "10",
        "a b",
        "ab",
        "Ärger",
        "item9",
        "item10",
        "resume",
        "Resume",
        "résumé",
        "ß",
        "st",
        "zebra",
        "Zed",
    ]


def test_an_unknown_time_zone_is_refused() -> None:
    error = drive("new Date(0).toLocaleString('en-US', { timeZone: 'Europe/Paris' })").error
    assert (error.name, error.message) == (
        "RangeError",
        "only UTC is available here, not Europe/Paris",
    )
