import { commerceRows } from './requirements/commerce.ts';
import { commerceLimitRows } from './requirements/commerce-limits.ts';
import { commerceToolRows } from './requirements/commerce-tools.ts';
import { hostingRows } from './requirements/hosting.ts';
import { hostingToolRows } from './requirements/hosting-tools.ts';
import type { Row } from './requirements/rows.ts';

/** Every unit of both specifications, as this project reads it and with how it stands. */
export const requirements: readonly Row[] = [
  ...commerceRows,
  ...commerceToolRows,
  ...commerceLimitRows,
  ...hostingRows,
  ...hostingToolRows,
];
