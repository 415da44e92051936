# One more mail, after a correction by the user.


async def main():
    weather = await get_weather(city="Oslo")
    today = f"{weather['condition']}, {weather['temperature']} °C"
    return await send_email(
        to="bo@example.com",
        subject="Your weather",
        body=f"Good morning Bo, today: {today}.",
    )
