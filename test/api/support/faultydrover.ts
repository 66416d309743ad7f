import './injectedfaults.ts';
import '../../../hack/imagebuild/drover.ts';
