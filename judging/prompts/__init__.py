"""What a model is asked, word for word: templates, fences, layout, reply schemas. Pure."""

from judging.prompts.fences import clean, fence, nonce, visible
from judging.prompts.layout import Message, Prompt, claims_prompt, extract_prompt, verify_prompt
from judging.prompts.schemas import inlined
from judging.prompts.templates import Template

__all__ = [
    "Message",
    "Prompt",
    "Template",
    "claims_prompt",
    "clean",
    "extract_prompt",
    "fence",
    "inlined",
    "nonce",
    "verify_prompt",
    "visible",
]
