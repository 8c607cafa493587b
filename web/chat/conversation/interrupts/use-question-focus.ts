import { type RefObject, useEffect } from "react";

const COMPOSER = "[data-testid=composer-text]";

/**
 * Leads who works with the keyboard to a question when it comes, and back to where messages are written when it is
 * answered. Who is writing stays there; a button that does something at once is never what the focus lands on.
 */
export function useQuestionFocus(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const questions = place.current;
    if (!questions || !matchMedia("(pointer: fine)").matches) return;
    if (isFree(document.activeElement)) firstIn(questions)?.focus();
    return () => {
      // What had the focus goes with the question, after this.
      const hadFocus = questions.contains(document.activeElement) || document.activeElement === document.body;
      if (hadFocus) requestAnimationFrame(() => document.querySelector<HTMLElement>(COMPOSER)?.focus());
    };
  }, [place]);
}

/** Whether nothing is lost when the focus goes elsewhere. */
function isFree(element: Element | null): boolean {
  if (element === null || element === document.body) return true;
  return element instanceof HTMLTextAreaElement && element.matches(COMPOSER) && element.value === "";
}

function firstIn(questions: HTMLElement): HTMLElement | null {
  return questions.querySelector<HTMLElement>("textarea, input") ?? questions.querySelector("section");
}
