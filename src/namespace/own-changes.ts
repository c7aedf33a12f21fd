/**
 * May an answer of the service overrule what we just did ourselves?
 *
 * A listing that left before our PUT may arrive after it and not show the new file; believing it would make a file vanish
 * that a program has just closed. So every own change takes a number when it is done, every question remembers the number at
 * which it left, and for a name changed since, the change wins. Changes are remembered only while a question older than
 * them is under way; those that the service will only hear of later stand until it has.
 */

/** A request under way whose answer will tell about names. */
export interface Question {
  /** The number of the last own change when the request left. */
  readonly asOf: number;
}

interface Change<Outcome> {
  readonly number: number;
  readonly outcome: Outcome;
}

/** The own changes that a question under way may not know of. */
export class OwnChanges<Outcome> {
  readonly #underWay = new Set<Question>();
  /** By folder, then by name. */
  readonly #changes = new Map<string, Map<string, Change<Outcome>>>();
  /** By folder, then by name: what no answer overrules. */
  readonly #standing = new Map<string, Map<string, Outcome>>();
  #number = 0;

  /** Call when the request leaves. Every question must be settled, also when its request fails. */
  ask(): Question {
    const question = { asOf: this.#number };
    this.#underWay.add(question);
    return question;
  }

  /** The answer has been applied, or will never be. */
  settle(question: Question): void {
    this.#underWay.delete(question);
    this.#forgetOld();
  }

  /** An own change of `name` in `folder` is done, with this outcome. */
  record(folder: string, name: string, outcome: Outcome): void {
    this.#number += 1;
    if (this.#underWay.size === 0) return;
    const names = this.#changes.get(folder) ?? new Map<string, Change<Outcome>>();
    names.set(name, { number: this.#number, outcome });
    this.#changes.set(folder, names);
  }

  /** The service does not know of this outcome yet: it is so whatever answers say, until `standNoMore`. */
  stand(folder: string, name: string, outcome: Outcome): void {
    const names = this.#standing.get(folder) ?? new Map<string, Outcome>();
    names.set(name, outcome);
    this.#standing.set(folder, names);
  }

  /** The service knows what is so by now, or something else was done to the name since. */
  standNoMore(folder: string, name: string): void {
    const names = this.#standing.get(folder);
    names?.delete(name);
    if (names?.size === 0) this.#standing.delete(folder);
  }

  standing(folder: string, name: string): Outcome | undefined {
    return this.#standing.get(folder)?.get(name);
  }

  /** Whether the service does not know yet of what is so in `folder`. */
  isStandingIn(folder: string): boolean {
    return this.#standing.has(folder);
  }

  /** What we did to `name` since the question left; undefined when nothing. */
  since(question: Question, folder: string, name: string): Outcome | undefined {
    const standing = this.standing(folder, name);
    if (standing !== undefined) return standing;
    const change = this.#changes.get(folder)?.get(name);
    return change !== undefined && change.number > question.asOf ? change.outcome : undefined;
  }

  /** All names of `folder` that we changed since the question left, with the last outcome. */
  allSince(question: Question, folder: string): Map<string, Outcome> {
    const outcomes = new Map<string, Outcome>(this.#standing.get(folder));
    for (const [name, change] of this.#changes.get(folder) ?? []) {
      if (change.number > question.asOf && !outcomes.has(name)) outcomes.set(name, change.outcome);
    }
    return outcomes;
  }

  #forgetOld(): void {
    let oldest = this.#number;
    for (const question of this.#underWay) oldest = Math.min(oldest, question.asOf);
    for (const [folder, names] of this.#changes) {
      for (const [name, change] of names) if (change.number <= oldest) names.delete(name);
      if (names.size === 0) this.#changes.delete(folder);
    }
  }
}
