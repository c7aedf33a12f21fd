/** LibreOffice: too large a program for every run of the tests. */
import type { Program } from './program.ts';

const CONVERT =
  'soffice "-env:UserInstallation=file://$1/profile" --headless --convert-to odt --outdir . text.txt';

export const office: readonly Program[] = [
  {
    name: 'LibreOffice',
    endsAsOnDisk: false,
    check: 'unzip -tq text.odt && unzip -p text.odt content.xml | grep -q "more words"',
    steps: [
      { script: 'echo "some words" > text.txt; mkdir -p keep; echo x > keep/x' },
      {
        what: 'headless convert',
        script: `${CONVERT} > /dev/null 2>&1; test -s text.odt`,
        costs: { put: 1 },
      },
      {
        what: 'headless convert in place of the earlier one',
        script: `echo "more words" > text.txt; ${CONVERT} > /dev/null 2>&1; test -s text.odt`,
        costs: { put: 2 },
      },
    ],
  },
];
