export { Client } from "@langchain/langgraph-sdk";
export { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
