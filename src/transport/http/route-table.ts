import type { HttpRoute } from './host.ts';

/**
 * Finds the routes of a path. A route of exactly this path comes first, then the longest prefix,
 * then a route of the path with or without a slash at its end.
 */
export class RouteTable<Route extends HttpRoute> {
  private readonly exact = new Map<string, Route[]>();
  private readonly prefixes: readonly Route[];

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      if (route.isPrefix) continue;
      this.exact.set(route.path, [...(this.exact.get(route.path) ?? []), route]);
    }
    this.prefixes = routes
      .filter((route) => route.isPrefix)
      .sort((a, b) => b.path.length - a.path.length || suffixOf(b).length - suffixOf(a).length);
  }

  /** Returns the routes of a path, which differ in their methods. */
  find(path: string): readonly Route[] {
    return this.exact.get(path) ?? this.findPrefix(path) ?? this.exact.get(toggleSlash(path)) ?? [];
  }

  private findPrefix(path: string): readonly Route[] | undefined {
    const first = this.prefixes.find((route) => matchesPrefix(route, path));
    if (first === undefined) return undefined;
    return this.prefixes.filter(
      (route) => route.path === first.path && suffixOf(route) === suffixOf(first),
    );
  }
}

function toggleSlash(path: string): string {
  if (!path.endsWith('/')) return `${path}/`;
  return path.endsWith('//') ? path : path.slice(0, -1);
}

function matchesPrefix(route: HttpRoute, path: string): boolean {
  const suffix = suffixOf(route);
  return (
    path.length >= route.path.length + suffix.length &&
    path.startsWith(route.path) &&
    path.endsWith(suffix)
  );
}

function suffixOf({ suffix = '' }: HttpRoute): string {
  return suffix;
}
