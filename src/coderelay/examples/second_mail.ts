// One more mail, after a correction by the user.

const weather = await getWeather({ city: "Oslo" });
return await sendEmail({
  to: "bo@example.com",
  subject: "Your weather",
  body: `Good morning Bo, today: ${weather.condition}, ${weather.temperature} °C.`,
});
