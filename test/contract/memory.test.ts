import { contractSuite } from './contract-suite.ts';
import { mixedSettings, singleSettings } from './switch-settings.ts';

contractSuite('in memory', [...singleSettings(), ...mixedSettings(20)]);
