import type { Locator, Page } from 'playwright-core';

/** The row that a page of an actor shows. */
export async function shownSeq(page: Page): Promise<number> {
  return Number(await page.locator('.actor').getAttribute('data-shown-seq'));
}

/** The texts of all elements that fit, in their order. */
export async function texts(page: Page, selector: string): Promise<readonly string[]> {
  return (await page.locator(selector).allInnerTexts()).map((text) => text.trim());
}

/** The text of an element, also of parts that are out of sight. */
export async function textOf(element: Locator): Promise<string> {
  return ((await element.textContent()) ?? '').trim();
}
