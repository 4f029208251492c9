// What each panel can show with one click; the first of each list is there from the start.

export const DECIDE = [
  {
    name: "Complaint",
    text: `Hello,

the desk lamp from order L-2210 came yesterday and the glass is in pieces. This is already the second one that arrives broken, and I am giving it to my sister on Saturday. Please send a new one in time. If that cannot be done, tell me today.

Marta Lindqvist`,
    questions: [
      { type: "noul", instructions: "Is the item damaged?" },
      {
        type: "choice",
        instructions: "What does the customer want?",
        criteria: [
          "repair: the item should be repaired",
          "replacement: a new item should be sent",
          "refund: the money should be paid back",
        ],
      },
      {
        type: "score",
        instructions: "How urgent is it?",
        criteria: ["there is no hurry", "it should be soon", "there is a deadline"],
      },
    ],
  },
  {
    name: "Support ticket",
    text: `Since the update this morning nobody in our office can sign in. The page says "session expired" right after the password. We are twelve people and cannot work. The invoice for March was wrong too, but that can wait.`,
    questions: [
      {
        type: "choice",
        instructions: "Which team should take this first?",
        criteria: [
          "accounts: signing in, passwords, permissions",
          "billing: invoices and payments",
          "sales: new contracts",
          "hardware",
        ],
      },
      { type: "noul", instructions: "Are several people affected?" },
      {
        type: "score",
        instructions: "How bad is the outage?",
        criteria: ["a question", "a nuisance", "work is slowed", "work has stopped"],
      },
    ],
  },
  {
    name: "Review",
    text: `The tent was up in ten minutes and stayed dry through a night of rain. The zip of the inner door sticks, though, and the bag is too small for it once it is wet. I would still buy it again.`,
    questions: [
      {
        type: "score",
        instructions: "How satisfied is the customer?",
        criteria: ["not at all", "partly", "mostly", "fully"],
      },
      { type: "noul", instructions: "Does the review mention a defect?" },
      { type: "noul", instructions: "Does the customer ask for an answer?" },
    ],
  },
];

export const EXTRACT = [
  {
    name: "Hotel bill",
    text: `🧾 Invoice 2026-0417
Guest: Ana Pereira 🙂
Room 204, 5 to 8 May 2026

Room charge: 360.00 EUR
Breakfast: 45.00 EUR
Garage: 24.50 EUR

Please pay by 22 May 2026. Thank you for your stay! 🌻`,
    fields: [
      { name: "invoice", type: "text", instructions: "the number of the invoice" },
      { name: "guest", type: "text", instructions: "the name of the guest" },
      { name: "room", type: "money", instructions: "the charge for the room" },
      { name: "breakfast", type: "money", instructions: "the price of the breakfast" },
      { name: "garage", type: "money", instructions: "the price of the garage" },
      {
        name: "total",
        type: "money",
        instructions: "everything together",
        compute: { op: "sum", of: ["room", "breakfast", "garage"] },
      },
      { name: "due", type: "date", instructions: "the day by which it must be paid" },
      { name: "discount", type: "money", instructions: "the discount that was given" },
    ],
  },
  {
    name: "Order",
    text: `Hi, I ordered a garden bench on 14 April 2026 (order GB-7781) and paid £189.00 by card. It has not come yet. You promised delivery within 10 days. Please call me at 18:30 or write to r.ames@example.org.`,
    fields: [
      { name: "order", type: "text", instructions: "the order number" },
      { name: "paid", type: "money", instructions: "the amount that was paid" },
      { name: "ordered_on", type: "date", instructions: "the day of the order" },
      { name: "promised", type: "duration", instructions: "the promised time of delivery" },
      { name: "call_at", type: "time", instructions: "when to call" },
      { name: "mail", type: "text", instructions: "the e-mail address" },
    ],
  },
  {
    name: "Job advert",
    text: `We are looking for a nurse for our day clinic in Porto, 32 hours a week, from 1 September 2026. You bring 3 years of experience and speak Portuguese and English. We pay 2,150 EUR a month. Remote work is not possible.`,
    fields: [
      { name: "starts", type: "date", instructions: "the first day of work" },
      { name: "hours", type: "number", instructions: "hours of work in a week" },
      { name: "salary", type: "money", instructions: "the monthly salary" },
      { name: "experience", type: "duration", instructions: "the experience that is asked for" },
      { name: "languages", type: "list", items: "text", instructions: "languages that are asked for" },
      { name: "remote", type: "boolean", instructions: "Is remote work possible?" },
    ],
  },
];

export const FORECAST = [
  {
    name: "Monthly sales",
    horizon: 12,
    values: [
      170, 199, 216, 227, 235, 262, 301, 308, 298, 250, 208, 189, 191, 235, 257, 270, 266, 290, 327, 346, 336, 285, 240,
      211, 232, 265, 283, 319, 325, 360, 375, 389, 373, 321, 272, 245, 255, 286, 319, 353, 349, 392, 433, 425, 421, 374,
      280, 268, 287, 319, 365, 377, 379, 442, 482, 506, 484, 401, 329, 287,
    ],
  },
  {
    name: "Daily visitors, with gaps",
    horizon: 14,
    non_negative: true,
    values: [
      117,
      94,
      99,
      109,
      155,
      227,
      231,
      99,
      91,
      106,
      135,
      178,
      210,
      179,
      121,
      99,
      99,
      null,
      null,
      266,
      241,
      123,
      108,
      114,
      144,
      188,
      264,
      238,
      111,
      119,
      121,
      138,
      159,
      250,
      249,
      111,
      111,
      124,
      123,
      211,
      278,
      238,
      134,
      120,
      null,
      140,
      210,
      262,
      240,
      144,
      118,
      114,
      152,
      219,
      272,
      228,
      136,
      119,
      122,
      160,
      189,
      313,
      235,
      132,
      129,
      137,
      158,
      213,
      297,
      267,
    ],
  },
  {
    name: "Weekly growth",
    horizon: 8,
    values: [
      48.7, 48.3, 49.5, 50.4, 50.2, 51.7, 52.0, 54.5, 52.8, 52.4, 53.0, 54.0, 55.8, 54.7, 56.2, 58.6, 53.5, 55.9, 58.2,
      59.0, 59.3, 59.0, 61.0, 61.0, 60.5, 64.9,
    ],
  },
];
