/** What have programs set since attributes were copied to where a rename leads? */
import type { LocalAttributes } from '../../store/version.ts';

/** What is in `now` and was not so in `before`; null: nothing. */
export function attributesSince(before: LocalAttributes, now: LocalAttributes): LocalAttributes | null {
  const since = Object.entries(now).filter(
    ([name, value]) => value !== before[name as keyof LocalAttributes],
  );
  return since.length === 0 ? null : Object.fromEntries(since);
}
