/** Something that the operator has to change; the message is one line and says what. */
export class StartError extends Error {
  override name = "StartError";
}
