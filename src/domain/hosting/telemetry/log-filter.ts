import { AppError } from '../../common/error.ts';
import type { LogFilters } from '../hosting.ts';
import { LOG_TYPES, type LogLevel, type LogType } from '../value-sets.ts';
import { compileLabelPattern, compileTextPattern, type ValuePattern } from './log-pattern.ts';

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
export const LABEL_SET_NAMES = ['level', 'instance', 'host', 'statusCode', 'method'] as const;

/** Compiled filters of a query. An absent filter matches every line. */
export interface CompiledLogFilter {
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
export function compileLogFilters(
  filters: Omit<LogFilters, 'startTime' | 'endTime' | 'direction'>,
): CompiledLogFilter {
  requireLength('resource', filters.resource, 1);
  const type = matchAny(compilePatterns('type', filters.type));
  const sets = LABEL_SET_NAMES.flatMap((label) => {
    const matches = matchAny(compilePatterns(label, filters[label]));
    return matches === undefined ? [] : [{ label, fits: matches }];
  });
  const paths = compilePatterns('path', filters.path);
  const path = matchAny(paths);
  const text = matchAny(compilePatterns('text', filters.text));
  const exact = paths?.flatMap((pattern) => pattern.exact ?? []);
  return {
    types: LOG_TYPES.filter((one) => type?.(one) ?? true),
    ...(sets.length > 0 && { labels: (set) => sets.every(({ label, fits }) => fits(set[label])) }),
    ...(path !== undefined && { path: (value) => value !== '' && path(value) }),
    ...(exact !== undefined && exact.length === paths?.length && { paths: exact }),
    ...(text !== undefined && { text }),
  };
}

function compilePatterns(
  label: string,
  filters: readonly string[] | undefined,
): readonly ValuePattern[] | undefined {
  if (filters === undefined || filters.length === 0) return undefined;
  requireLength(label, filters, 0);
  return filters.map((one) =>
    label === 'text' ? compileTextPattern(one) : compileLabelPattern(one, label),
  );
}

function matchAny(
  patterns: readonly ValuePattern[] | undefined,
): ((value: string) => boolean) | undefined {
  if (patterns === undefined) return undefined;
  return (value) => value !== '' && patterns.some((pattern) => pattern.matches(value));
}

function requireLength(label: string, values: readonly string[], min: number): void {
  if (values.length >= min && values.length <= FILTER_VALUES_MAX) return;
  throw new AppError('INPUT_INVALID', {
    message: `${label} has ${values.length} values; ${min} to ${FILTER_VALUES_MAX} are allowed`,
    data: { parameter: label, received: values.length },
  });
}
