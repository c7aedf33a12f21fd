/** What can users do who were let into a mount of somebody else's? */
import { expect, it } from 'vitest';
import { sharedMount } from '../support/shared-mount.ts';

const mount = sharedMount({ driver: 'kernel', allowOther: true, settings: { uid: 0, gid: 0 } });

// Only root can work as somebody else; a run without root names this test as left out.
it.runIf(process.getuid?.() === 0)(
  'they own what they make, can work in it, and change nothing of others [attributes/maker]',
  async () => {
    const { output, errors } = await mount().run(`
      chmod 755 .; mkdir theirs; chmod 777 theirs; echo mine > mine
      setpriv --reuid=65534 --regid=65533 --clear-groups sh -c '
        umask 077; cd theirs
        echo text > file; mkdir folder; echo more > folder/file; perl -e "mkdir q(made); rmdir q(made)"
        mv file folder/other; touch -d @1000000000 folder/other; cat folder/other folder/file
        echo x >> ../mine; ls ..'
      stat -c '%u %g %a %n' theirs/folder theirs/folder/* mine`);

    expect(errors).toMatch(/^sh: .*mine: Permission denied\n$/);
    expect(output).toBe(
      [
        'text',
        'more',
        'mine',
        'theirs',
        '65534 65533 700 theirs/folder',
        '65534 65533 600 theirs/folder/file',
        '65534 65533 600 theirs/folder/other',
        '0 0 644 mine',
        '',
      ].join('\n'),
    );
  },
);
