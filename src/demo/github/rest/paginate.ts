import type { Call, Reply } from './route.ts';

/** The asked page of `items`, with GitHub's `Link` header. */
export async function page<T>(call: Call, items: T[], view: (item: T) => unknown | Promise<unknown>): Promise<Reply> {
  const { start, end, headers } = window(call, items.length);
  const body = await Promise.all(items.slice(start, end).map(view));
  return { status: 200, body, headers };
}

/** As `page`, in the envelope newer endpoints use: `{ total_count, <name>: [...] }`. */
export async function countedPage<T>(
  call: Call,
  name: string,
  items: T[],
  view: (item: T) => unknown | Promise<unknown>,
): Promise<Reply> {
  const reply = await page(call, items, view);
  return { ...reply, body: { total_count: items.length, [name]: reply.body } };
}

function window(call: Call, total: number) {
  const perPage = Math.min(100, Math.max(1, Number(call.query.per_page ?? 30) || 30));
  const current = Math.max(1, Number(call.query.page ?? 1) || 1);
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = links(call.url, current, last);
  return { start: (current - 1) * perPage, end: current * perPage, headers: link ? { link } : undefined };
}

function links(url: URL, current: number, last: number): string {
  const to = (target: number, rel: string) => {
    const other = new URL(url);
    other.searchParams.set('page', String(target));
    return `<${other.href}>; rel="${rel}"`;
  };
  const back = current > 1 ? [to(current - 1, 'prev'), to(1, 'first')] : [];
  const on = current < last ? [to(current + 1, 'next'), to(last, 'last')] : [];
  return [...back, ...on].join(', ');
}
