import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { errorMessage } from '../connection/request-error.ts';
import type { PageEntry } from '../pages.ts';
import { EmptyState, ErrorState, Loading } from '../parts/notice.tsx';
import { announce } from './announcer.tsx';
import { useSite } from './console-site.ts';
import { consoleUrl, currentLocation, type PageProps } from './router.ts';

const FIRST_PAGE = 'actors';

/** The page at the current URL. */
export function CurrentPage(): JSX.Element {
  const { parts, query } = currentLocation.value;
  const [name = FIRST_PAGE, ...rest] = parts;
  const entry = useSite().pages.find((one) => one.name === name);
  // A different actor is a different page; a different row of it is not.
  const key = [name, ...rest].join('/');
  usePageChange(key, entry);
  if (entry === undefined) return <PageNotFound name={name} />;
  return <PageLoader key={key} entry={entry} rest={rest} query={query} />;
}

function PageLoader({
  entry,
  rest,
  query,
}: PageProps & { readonly entry: PageEntry }): JSX.Element {
  const [Page, setPage] = useState<{ readonly Component: ComponentType<PageProps> } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [broken, resetError] = useErrorBoundary();
  useEffect(() => {
    entry.load().then(
      (Component) => setPage({ Component }),
      (thrown: unknown) => setFault(errorMessage(thrown)),
    );
  }, [entry]);
  if (fault !== null) {
    const retry = (): void => location.reload();
    return <ErrorState title={`${entry.title} could not be loaded`} words={fault} retry={retry} />;
  }
  if (broken !== undefined) {
    return (
      <ErrorState title="This page has failed" words={errorMessage(broken)} retry={resetError} />
    );
  }
  return Page === null ? (
    <Loading what={entry.title} />
  ) : (
    <Page.Component rest={rest} query={query} />
  );
}

function PageNotFound({ name }: { readonly name: string }): JSX.Element {
  return (
    <EmptyState title={`Page “${name}” not found`}>
      <p>
        Go to <a href={consoleUrl([FIRST_PAGE])}>all actors</a>.
      </p>
    </EmptyState>
  );
}

/** Sets the title; after a navigation, also moves the focus and announces the page. */
function usePageChange(key: string, entry: PageEntry | undefined): void {
  const [firstKey] = useState(key);
  const { host } = useSite();
  const [hasMoved, setMoved] = useState(false);
  useEffect(() => {
    const title = entry?.title ?? 'Page not found';
    const site = host === 'server' ? 'console' : 'inspector';
    document.title = `${formatTitle(key, title)} · Stoa ${site}`;
    if (key === firstKey && !hasMoved) return;
    setMoved(true);
    document.getElementById('main')?.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(title);
  }, [key]);
}

function formatTitle(key: string, title: string): string {
  const [, ...rest] = key.split('/');
  return rest.length === 0 ? title : `${title} ${rest.join('/')}`;
}
