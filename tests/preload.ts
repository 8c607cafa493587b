// Before any test file: what a real process sets before LangChain loads, and nothing of the developer's own
// that would send a test to a paid model or a trace to a server.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";
process.env.LANGSMITH_TRACING = "false";
// Each test that deploys would wait: those that are about it say otherwise.
process.env.DEPLOY_SETTLE_SECONDS ??= "0";
for (const name of Object.keys(process.env))
  if (/^(OPENAI|ANTHROPIC|LANGSMITH|LANGCHAIN)_(API_KEY|BASE_URL|ENDPOINT)$/.test(name))
    delete process.env[name];
for (const name of ["LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING"]) delete process.env[name];
