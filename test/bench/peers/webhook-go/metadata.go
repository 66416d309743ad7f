package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	clusterLabel     = "cluster.k8s.io/cluster-name"
	createdBy        = "drover.dev/created-by"
	creationTimeout  = "node.machine.sapcloud.io/effective-creation-timeout"
	deletionPriority = "machinepriority.machine.sapcloud.io"
	markedForDelete  = "machine.sapcloud.io/marked-for-deletion-time"
	longestName      = 63
	highestPriority  = 100
)

var (
	metadataPath      = field.NewPath("metadata")
	labelsPath        = metadataPath.Child("labels")
	annotationsPath   = metadataPath.Child("annotations")
	priorityOverrides = []string{"protected.drover.dev/reconcile-priority", "vmoperator.vmware.com.protected/reconcile-priority"}
	protectedPrefixes = []string{"delete.check.drover.dev/", "delete.check.vmoperator.vmware.com/", "protected.drover.dev/"}
	protectedName     = regexp.MustCompile(`^[^/]+\.protected(/|$)`)
)

// objectErrors holds for the metadata of every kind; before is nil on creation.
func objectErrors(now, before *metav1.ObjectMeta) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, creatorErrors(now, before)...)
	errs = append(errs, clusterErrors(labelsPath, now.Labels, labelsOf(before))...)
	errs = append(errs, priorityErrors(annotationsPath, now.Annotations)...)
	errs = append(errs, protectedErrors(annotationsPath, now.Annotations, annotationsOf(before))...)
	errs = append(errs, protectedErrors(labelsPath, now.Labels, labelsOf(before))...)
	if before == nil && len(now.Name) > longestName {
		errs = append(errs, field.TooLong(metadataPath.Child("name"), now.Name, longestName))
	}
	if text, found := now.Annotations[creationTimeout]; found {
		if duration, err := time.ParseDuration(text); err != nil || duration <= 0 {
			errs = append(errs, field.Invalid(annotationsPath.Key(creationTimeout), text, "must be a duration longer than 0"))
		}
	}
	return errs
}

func creatorErrors(now, before *metav1.ObjectMeta) field.ErrorList {
	if before == nil || metav1.GetControllerOf(now) != nil || now.Annotations[createdBy] == before.Annotations[createdBy] {
		return nil
	}
	return field.ErrorList{field.Forbidden(annotationsPath.Key(createdBy), "is written by the webhook alone")}
}

// clusterErrors says that a label which names a cluster stays.
func clusterErrors(path *field.Path, now, before map[string]string) field.ErrorList {
	if before[clusterLabel] == "" || now[clusterLabel] == before[clusterLabel] {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Key(clusterLabel), now[clusterLabel], "is set once")}
}

func priorityErrors(path *field.Path, annotations map[string]string) field.ErrorList {
	var errs field.ErrorList
	for _, key := range priorityOverrides {
		text, found := annotations[key]
		if !found {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < -highestPriority || number > highestPriority {
			errs = append(errs, field.Invalid(path.Key(key), text, "must be an integer from -100 to 100"))
		}
	}
	return errs
}

// protectedErrors refuses every change of a protected key: nobody is asked who may.
func protectedErrors(path *field.Path, now, before map[string]string) field.ErrorList {
	var errs field.ErrorList
	for key, value := range now {
		if old, found := before[key]; isProtected(key) && (!found || old != value) {
			errs = append(errs, field.Forbidden(path.Key(key), "is protected"))
		}
	}
	for key := range before {
		if _, found := now[key]; !found && isProtected(key) {
			errs = append(errs, field.Forbidden(path.Key(key), "is protected"))
		}
	}
	return errs
}

func isProtected(key string) bool {
	for _, prefix := range protectedPrefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return protectedName.MatchString(key)
}

// carriedErrors holds for labels and annotations that a machine or its Node will carry.
func carriedErrors(path *field.Path, meta *metav1.ObjectMeta) field.ErrorList {
	errs := metav1validation.ValidateLabels(meta.Labels, path.Child("labels"))
	return append(errs, apivalidation.ValidateAnnotations(meta.Annotations, path.Child("annotations"))...)
}

// scalerWarnings tells of marks that scalers would pass over.
func scalerWarnings(annotations map[string]string) []string {
	var warnings []string
	if text, found := annotations[deletionPriority]; found {
		if _, err := strconv.Atoi(text); err != nil {
			warnings = append(warnings, fmt.Sprintf("%s: should be a whole number", annotationsPath.Key(deletionPriority)))
		}
	}
	if text, found := annotations[markedForDelete]; found {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			warnings = append(warnings, fmt.Sprintf("%s: should be a moment", annotationsPath.Key(markedForDelete)))
		}
	}
	return warnings
}

func labelsOf(meta *metav1.ObjectMeta) map[string]string {
	if meta == nil {
		return nil
	}
	return meta.Labels
}

func annotationsOf(meta *metav1.ObjectMeta) map[string]string {
	if meta == nil {
		return nil
	}
	return meta.Annotations
}
