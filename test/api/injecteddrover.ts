import './injected.ts';
import '../../hack/imaging/drover.ts';
