/** How is much work done a few pieces at a time? */

/**
 * Runs `task` for each of `items`, in their order, at most `width` at once. After a failure none is begun any more. Resolves or
 * rejects, with the first failure, when all that were begun have ended.
 */
export async function atOnce<Item>(
  items: readonly Item[],
  width: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await task(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (failures.length > 0) throw failures[0];
}
