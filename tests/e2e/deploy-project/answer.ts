/** What the agent says; a test writes another one when it edits the project. */
export const answer = "one";
