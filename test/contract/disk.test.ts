import { contractSuite } from './contract-suite.ts';
import { mixedSettings, singleSettings } from './switch-settings.ts';

contractSuite('on disk', [...singleSettings(), ...mixedSettings(20)]);
