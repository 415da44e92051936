# A first attempt at the morning mails. It does not reckon with a city that has
# no weather station: the error goes back to the model.

import asyncio


async def main():
    contacts = await list_contacts()
    weather = await asyncio.gather(*(get_weather(city=c["city"]) for c in contacts))
    for contact, today in zip(contacts, weather):
        body = f"Good morning {contact['name']}, today: {today['condition']}."
        await send_email(to=contact["email"], subject="Your weather", body=body)
    return f"{len(contacts)} mails sent"
