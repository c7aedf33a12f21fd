/** What of a suite is played, and by whom? What a person chose, as far as there is somebody who can do it. */
import { isChosen, type SuiteOptions } from '../frame/suite.ts';
import { timeOf } from './metrics.ts';
import { canPlay, type Player } from './players.ts';
import { PROFILES, type Profile } from './profiles.ts';
import type { Scene, Step } from './scenes.ts';

/** A scene over one network. */
export interface Play {
  readonly profile: Profile;
  readonly scene: Scene;
}

export class Plan {
  readonly profiles: readonly Profile[];
  readonly plays: readonly Play[];
  readonly players: readonly Player[];
  readonly #workloads: readonly string[];

  constructor(
    { workloads, subjects, profiles }: Omit<SuiteOptions, 'scale'>,
    scenes: readonly Scene[],
    players: readonly Player[],
  ) {
    this.#workloads = workloads;
    this.profiles = PROFILES.filter(({ name }) => isChosen(name, profiles));
    this.plays = playsOf(scenes, this.profiles).filter((play) => this.#wanted(play).length > 0);
    this.players = players.filter(
      (player) => isChosen(player.name, subjects) && this.plays.some((play) => this.takesPart(player, play)),
    );
  }

  /** Whether a person asked for it: other steps of a scene are only played to get there. */
  isWanted(step: Step, profile: Profile): boolean {
    return isChosen(timeOf(step.name, profile), this.#workloads);
  }

  /** Whether it can do anything there that a person asked for. */
  takesPart(player: Player, play: Play): boolean {
    return this.#wanted(play).some((step) => canPlay(player, step));
  }

  /** The names under which times are taken down. */
  get times(): readonly string[] {
    return this.plays.flatMap((play) => this.#wanted(play).map(({ name }) => timeOf(name, play.profile)));
  }

  #wanted({ profile, scene }: Play): readonly Step[] {
    return scene.steps.filter((step) => this.isWanted(step, profile));
  }
}

/** All scenes over one network, then over the next. */
export function playsOf(scenes: readonly Scene[], profiles: readonly Profile[]): readonly Play[] {
  return profiles.flatMap((profile) => scenes.map((scene) => ({ profile, scene })));
}
