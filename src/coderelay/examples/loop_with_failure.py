# A loop over contacts in which tools fail: a failed call is an exception like
# any other.

from enum import Enum


class Delivery(str, Enum):
    SENT = "sent"
    REFUSED = "refused"


async def forecast(city):
    try:
        weather = await get_weather(city=city)
        return f"{weather['condition']}, {weather['temperature']} °C"
    except Exception as error:
        print(error)
        return "who knows"


async def mails():
    for contact in await list_contacts():
        today = await forecast(contact["city"])
        yield contact, f"Good morning {contact['name']}, today: {today}."


async def main():
    report = {}
    async for contact, body in mails():
        name, email = contact["name"], contact["email"]
        try:
            await send_email(to=email, subject="Your weather", body=body)
            report[name] = Delivery.SENT
        except Exception as error:
            print(f"{name}: {error}")
            report[name] = Delivery.REFUSED
    return report
