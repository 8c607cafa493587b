// Imported before anything of LangChain: with callbacks in the background a fast model's tokens are still
// queued when its stream closes, and are lost.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";
