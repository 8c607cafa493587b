export { Annotation, StateGraph } from "@langchain/langgraph";
