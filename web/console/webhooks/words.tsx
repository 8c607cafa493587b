import type { ReactNode } from "react";

// What the screens of webhooks say, in one place, so that it can be read in one go.

export const WORDS = {
  // delivery-log
  queued: "Queued",
  beingSent: "Being sent",
  delivered: "Delivered",
  failed: "Failed",
  cancelled: "Cancelled",
  sendAgainMenu: "Send again…",
  deliveries: "Deliveries",
  noDeliveriesMatch: "No deliveries match",
  nothingSentYet: "Nothing sent yet",
  changeFilters: "Change or clear the filters to see others.",
  nothingSentHint:
    "Each event that concerns a webhook appears here with its attempts and is kept for 30 days. Send a test from the page of a webhook.",
  state: "State",
  event: "Event",
  webhook: "Webhook",
  failedDeliveries: "Failed deliveries",
  everyAttemptFailed: "Every attempt failed.",
  cancelledDeliveries: "Cancelled deliveries",
  theirWebhookWasDisabled: "Their webhook was disabled at the time.",
  nothingToSend: "There is nothing to send again",
  sentAgainCount: (count: number) =>
    count === 1 ? "1 delivery is sent again" : `${count.toLocaleString()} deliveries are sent again`,
  sendFailedDeliveriesAgain: "Send failed deliveries again",
  sendAgain: "Send again",
  send: "Send",
  createdSince: "Created since",
  until: "Until",
  untilHint: "Empty: until now.",
  toEveryWebhook: "To every webhook.",
  toShownWebhook: "To the webhook that the list shows.",
  sendAgainNote: "Each keeps its id and its body. At most the newest 10,000 are sent.",

  // delivery-screen
  delivery: "Delivery",
  sentAgain: "It is sent again",
  deletedWebhook: "A webhook that was deleted",
  to: "To",
  id: "Id",
  request: "Request",
  attempts: "Attempts",
  aTest: "a test",
  created: (ago: ReactNode) => <>created {ago}</>,
  nextAttempt: (ago: ReactNode) => <>next attempt {ago}</>,
  issue: "Issue",
  openTheIssue: "Open the issue",
  attemptsAndByHand: (attempt_count: number, byHand: number) =>
    `${attempt_count} of 4, and ${byHand} by hand`,
  attemptsOf4: (attempt_count: number) => `${attempt_count} of 4`,
  chatGetsMessage: "a chat gets it as a message",
  bytesAsSent: (bytes: string) => `${bytes} bytes, exactly as they are sent`,
  body: "Body",
  noAnswerInTime: "No answer in time",
  nameNotFound: "Name not found",
  notReached: "Not reached",
  tlsFailed: "TLS failed",
  notAllowed: "Not allowed",
  connectionLost: "Connection lost",
  cutOff: "Cut off",
  notSentYet: "It was not sent yet.",
  attempt: (number: number) => `Attempt ${number}`,
  toTarget: (target: string) => `to ${target}`,
  took: (duration: ReactNode) => <>took {duration}</>,
  sentByHand: "sent by hand",
  tooLateToCount: "too late to count",
  onItsWay: "On its way",
  http: (status: number) => `HTTP ${status}`,
  headersSent: (length: number) => `${length} headers that were sent`,
  answerBeginning: "The beginning of the answer",

  // new-webhook
  theWebhookIsReady: "The webhook is ready",
  newWebhook: "New webhook",
  create: "Create",
  secretNote:
    "This secret signs every delivery. It is shown only once: store it where the receiver finds it.",
  copyTheSecret: "Copy the secret",

  // snippets
  checkTheSignature: "Check the signature",
  signatureNote: "X-Service-Signature signs the raw bytes: check it before you parse the JSON",
  howToCheck: (label: string) => `How to check it in ${label}`,
  librariesNote:
    "Libraries for Standard Webhooks can check it, too. Answer with a 2xx within 20 seconds. Ignore an id that you know: a delivery may come twice.",
  python: "Python",
  go: "Go",

  // webhook-actions
  testSent: "A test is on its way",
  enabled: "Enabled",
  moreActions: "More actions",
  edit: "Edit",
  enable: "Enable",
  sendATest: "Send a test",
  theNewSecret: "The new secret",
  newSecretMenu: "New secret…",
  disableMenu: "Disable…",
  delete: "Delete…",
  editThisWebhook: "Edit this webhook",
  save: "Save",
  disabled: "Disabled",
  deleted: (targetOf: string) => `Deleted ${targetOf}`,
  makeANewSecret: "Make a new secret",
  newSecretNote:
    "The new secret signs everything from now on, including waiting deliveries. A receiver that still has the old secret refuses them.",
  newSecret: "New secret",
  disableThisWebhook: "Disable this webhook",
  disableNote:
    "Its waiting deliveries are cancelled, and so are new ones. After it is enabled again, you can send them again.",
  disable: "Disable",
  deleteThisWebhook: "Delete this webhook",
  deleteNote:
    "Its waiting deliveries are cancelled. Its deliveries stay in the log for 30 days, but can’t be sent again.",
  deleteWebhook: "Delete webhook",

  // webhook-form
  aProgram: "A program",
  programHint: "Signed JSON is posted to its address.",
  aChat: "A chat",
  chatHint: "A message is posted to a channel.",
  receiver: "Receiver",
  severity: "Severity",
  events: "Events",
  project: "Project",
  allProjects: "All projects",
  secret: "Secret",
  secretHint: "Empty: Berth makes one. Your own needs at least 24 bytes.",
  address: "Address",
  channel: "Channel",
  addressHint: "Private and loopback addresses are refused unless WEBHOOK_ALLOW opens them.",
  channelHint: "A channel (needs CHAT_TOKEN), or the address of an incoming webhook, which is kept secret.",
  customHeaders: "Custom headers",
  nameOfHeader: (at: number) => `Name of header ${at}`,
  authorization: "Authorization",
  valueOfHeader: (at: number) => `Value of header ${at}`,
  bearer: "Bearer …",
  removeHeader: (at: number) => `Remove header ${at}`,
  addAHeader: "Add a header",

  // webhook-screen
  webhooks: "Webhooks",
  signedJson: "Signed JSON to a program",
  messagesToAChat: "Messages to a chat",
  failingNote: "Its last attempts failed. After three days of failures, Berth disables it.",
  projectDeletedNote: "Its project was deleted, so nothing reaches it. Edit it to choose another project.",
  nothingSentSendTest: "Nothing sent yet. Send a test to see whether it arrives.",
  customHeadersFact: "Custom headers",
  none: "None",
  made: "Created",
  waitingCount: (waiting: number) => `, ${waiting} wait`,
  lastArrived: (arrived: number, length: number, waiting: string) =>
    `${arrived} of the last ${length} arrived${waiting}`,
  didNotArrive: (count: number, first: ReactNode, last: ReactNode) =>
    count === 1 ? (
      <>1 delivery, of {first}, did not arrive.</>
    ) : (
      <>
        {count.toLocaleString()} deliveries between {first} and {last} did not arrive.
      </>
    ),
  cancel: "Cancel",
  sendItAgain: "Send it again",
  sendThemAgain: "Send them again",

  // webhooks-screen
  webhooksNote: "Programs and chats that are told about issues and revisions.",
  noWebhooksYet: "No webhooks yet",
  noWebhooksHint:
    "A webhook posts signed events to an address of yours, or messages to a chat, as soon as an issue opens.",
  goesTo: "Goes to",
  andMore: (first: undefined | string, length: number) => `${first} and ${length} more`,
  createdColumn: "Created",
  typescript: "TypeScript",
  addressExample: "https://example.com/hooks/berth",
  channelExample: "#agents",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  webhooks: {
    page: "webhooks.md",
    does: "subscribe addresses and channels, test them, roll secrets; read each delivery byte for byte; send a delivery again, or all that a receiver missed while it was away",
  },
} as const;
