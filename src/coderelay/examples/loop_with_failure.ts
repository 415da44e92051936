// A loop over contacts in which tools fail: a failed call is an exception like
// any other.

enum Delivery {
  Sent = "sent",
  Refused = "refused",
}

async function forecast(city: string): Promise<string> {
  try {
    const weather = await getWeather({ city });
    return `${weather.condition}, ${weather.temperature} °C`;
  } catch (error) {
    console.warn(error.message);
    return "who knows";
  }
}

async function* mails() {
  for (const { name, email, city } of await listContacts()) {
    const today = await forecast(city);
    yield { name, email, body: `Good morning ${name}, today: ${today}.` };
  }
}

async function main() {
  const report: Record<string, Delivery> = {};
  for await (const { name, email, body } of mails()) {
    try {
      await sendEmail({ to: email, subject: "Your weather", body });
      report[name] = Delivery.Sent;
    } catch (error) {
      console.error(`${name}: ${error.message}`);
      report[name] = Delivery.Refused;
    }
  }
  return report;
}
