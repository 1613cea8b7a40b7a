import { AppError } from '../../common/error.ts';
import type { LogFilters } from '../hosting.ts';
import { LOG_TYPES, type LogLevel, type LogType } from '../value-sets.ts';
import { labelPattern, textPattern, type ValuePattern } from './log-pattern.ts';

/** Maximum number of alternatives in one filter, and of resources in a query. */
export const FILTER_VALUES_MAX = 100;

/** Labels shared by many lines. An absent label is empty. */
export interface LabelSet {
  readonly level: LogLevel;
  readonly instance: string;
  readonly host: string;
  readonly statusCode: string;
  readonly method: string;
}

/** Names of the labels of a {@link LabelSet}. */
export const SET_LABELS = ['level', 'instance', 'host', 'statusCode', 'method'] as const;

/** Compiled filters of a query. An absent filter matches every line. */
export interface LogSieve {
  readonly types: readonly LogType[];
  readonly labels?: (set: LabelSet) => boolean;
  readonly path?: (path: string) => boolean;
  /** The only matching paths, if the filter consists of exact paths. */
  readonly paths?: readonly string[];
  readonly text?: (message: string) => boolean;
}

/**
 * Compiles the filters of a query. Values of one label are combined with "or", labels with "and". A
 * line without a label never matches a filter on it.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function logSieve(
  filters: Omit<LogFilters, 'startTime' | 'endTime' | 'direction'>,
): LogSieve {
  refuseLength('resource', filters.resource, 1);
  const type = anyOf(patternsOf('type', filters.type));
  const sets = SET_LABELS.flatMap((label) => {
    const fits = anyOf(patternsOf(label, filters[label]));
    return fits === undefined ? [] : [{ label, fits }];
  });
  const paths = patternsOf('path', filters.path);
  const path = anyOf(paths);
  const text = anyOf(patternsOf('text', filters.text));
  const exact = paths?.flatMap((pattern) => pattern.exact ?? []);
  return {
    types: LOG_TYPES.filter((one) => type?.(one) ?? true),
    ...(sets.length > 0 && { labels: (set) => sets.every(({ label, fits }) => fits(set[label])) }),
    ...(path !== undefined && { path: (value) => value !== '' && path(value) }),
    ...(exact !== undefined && exact.length === paths?.length && { paths: exact }),
    ...(text !== undefined && { text }),
  };
}

function patternsOf(
  label: string,
  filters: readonly string[] | undefined,
): readonly ValuePattern[] | undefined {
  if (filters === undefined || filters.length === 0) return undefined;
  refuseLength(label, filters, 0);
  return filters.map((one) => (label === 'text' ? textPattern(one) : labelPattern(one, label)));
}

function anyOf(
  patterns: readonly ValuePattern[] | undefined,
): ((value: string) => boolean) | undefined {
  if (patterns === undefined) return undefined;
  return (value) => value !== '' && patterns.some((pattern) => pattern.fits(value));
}

function refuseLength(label: string, values: readonly string[], least: number): void {
  if (values.length >= least && values.length <= FILTER_VALUES_MAX) return;
  throw new AppError('INPUT_INVALID', {
    message: `${label} has ${values.length} values; ${least} to ${FILTER_VALUES_MAX} are allowed`,
    data: { parameter: label, received: values.length },
  });
}
