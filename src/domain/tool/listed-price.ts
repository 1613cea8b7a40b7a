import { isObject } from '../common/json.ts';
import type { ListedTool } from './tool.ts';

/** Returns the listed price of a tool in dollars, such as `0.05`; `undefined` for a free tool. */
export function readListedPrice({ _meta: meta }: ListedTool): string | undefined {
  const price = meta?.['price'];
  const amount = isObject(price) ? price['amount'] : undefined;
  return typeof amount === 'string' ? amount : undefined;
}
