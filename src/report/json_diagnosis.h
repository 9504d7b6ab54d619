/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_JSON_DIAGNOSIS_H
#define CONTEND_REPORT_JSON_DIAGNOSIS_H

#include "judge/diagnosis.h"

/* `diagnostics` of a workload: all that was asked, whatever was found. Owned by the caller. */
json_t *json_diagnoses(const struct diagnoses *all, int arms);

#endif
