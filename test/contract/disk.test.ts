import { contractSuite } from './contract-suite.ts';
import { mixedSettings, singleSettings } from './switch-settings.ts';

// Every write waits for the disk here, and the switches act above the files: a few mixtures are enough.
contractSuite('on disk', [...singleSettings().slice(0, 1), ...mixedSettings(3)]);
