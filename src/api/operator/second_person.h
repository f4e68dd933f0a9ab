/* SPDX-License-Identifier: MIT */
/* second_person.h — the second signature under an operator's command (decision 412). */
#ifndef API_OPERATOR_SECOND_PERSON_H
#define API_OPERATOR_SECOND_PERSON_H

#include "api/inside.h"
#include "model/operator.h"

/* A second signature has one form of type byte, and curve numbers in range (signature_read). */
bool operator_read_second(struct slice given, struct signature *signature);

/*
 * Where keys are configured, one of them must have signed this very command, `said->command`; where none are, a
 * signature is refused. `given`: the signature's text, .at = NULL when there is none. True: *signature is set when
 * said->confirmed is. False: *failure has the reason.
 */
bool operator_is_confirmed(const struct api *api, const struct operator_request *request, struct slice given,
                           struct api_said *said, struct signature *signature, struct failure *failure);

#endif
