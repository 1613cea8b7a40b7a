import type { ComponentType, JSX } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { wordsOf } from '../connection/refusal.ts';
import { PAGES, type PageEntry, type PageProps } from '../pages.ts';
import { Empty, Fault, Loading } from '../parts/notice.tsx';
import { announce } from './announcer.tsx';
import { addressOf, place } from './router.ts';

const FIRST_PAGE = 'actors';

/** The page at the current URL. */
export function CurrentPage(): JSX.Element {
  const { parts, query } = place.value;
  const [name = FIRST_PAGE, ...rest] = parts;
  const entry = PAGES.find((one) => one.name === name);
  // A different actor is a different page; a different row of it is not.
  const key = [name, ...rest].join('/');
  useArrival(key, entry);
  if (entry === undefined) return <NoPage name={name} />;
  return <Loaded key={key} entry={entry} rest={rest} query={query} />;
}

function Loaded({ entry, rest, query }: PageProps & { readonly entry: PageEntry }): JSX.Element {
  const [Page, setPage] = useState<{ readonly Component: ComponentType<PageProps> } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [broken, mend] = useErrorBoundary();
  useEffect(() => {
    entry.load().then(
      (Component) => setPage({ Component }),
      (thrown: unknown) => setFault(wordsOf(thrown)),
    );
  }, [entry]);
  if (fault !== null) {
    const retry = (): void => location.reload();
    return <Fault title={`${entry.title} could not be loaded`} words={fault} retry={retry} />;
  }
  if (broken !== undefined) {
    return <Fault title="This page has failed" words={wordsOf(broken)} retry={mend} />;
  }
  return Page === null ? (
    <Loading what={entry.title} />
  ) : (
    <Page.Component rest={rest} query={query} />
  );
}

function NoPage({ name }: { readonly name: string }): JSX.Element {
  return (
    <Empty title={`Page “${name}” not found`}>
      <p>
        Go to <a href={addressOf([FIRST_PAGE])}>all actors</a>.
      </p>
    </Empty>
  );
}

/** Sets the title; after a navigation, also moves the focus and announces the page. */
function useArrival(key: string, entry: PageEntry | undefined): void {
  const [firstKey] = useState(key);
  const [hasMoved, setMoved] = useState(false);
  useEffect(() => {
    const title = entry?.title ?? 'Page not found';
    document.title = `${titleOf(key, title)} · Stoa console`;
    if (key === firstKey && !hasMoved) return;
    setMoved(true);
    document.getElementById('main')?.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(title);
  }, [key]);
}

function titleOf(key: string, title: string): string {
  const [, ...rest] = key.split('/');
  return rest.length === 0 ? title : `${title} ${rest.join('/')}`;
}
