"""Chooses the chat model from the environment."""

from __future__ import annotations

import os

from langchain_core.language_models import BaseChatModel
from offline_model import OfflineChatModel


def choose_model() -> BaseChatModel:
    """Anthropic's with ANTHROPIC_API_KEY, OpenAI's with OPENAI_API_KEY (and OPENAI_BASE_URL), else the offline model.

    Its package is imported only when it is chosen: `pip install langchain-anthropic` or `langchain-openai`.
    """
    if os.environ.get("ANTHROPIC_API_KEY"):
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model_name=os.environ.get("MODEL") or "claude-sonnet-4-6")
    if os.environ.get("OPENAI_API_KEY"):
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(model=os.environ.get("OPENAI_MODEL") or os.environ.get("MODEL") or "gpt-5-mini")
    return OfflineChatModel()
