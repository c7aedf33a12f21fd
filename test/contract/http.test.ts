import { contractSuite } from './contract-suite.ts';
import { mixedSettings, singleSettings } from './switch-settings.ts';

contractSuite('over HTTP', [...singleSettings(), ...mixedSettings(20)]);
