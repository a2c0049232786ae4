package io.sagaspring.test.saga;

import io.sagaspring.test.saga.QueuedScenariosContract.NoticeSaga;
import io.sagaspring.test.saga.QueuedScenariosContract.Payment;
import io.sagaspring.test.saga.QueuedScenariosContract.QuickPayment;
import io.sagaspring.test.saga.QueuedScenariosContract.RefundSaga;

@SagaTest(
        sagas = {RefundSaga.class, NoticeSaga.class},
        runs = {Payment.class, QuickPayment.class},
        properties = {QueuedScenariosContract.PSP, QueuedScenariosContract.KEPT, QueuedScenariosContract.KEEPS})
class QueuedScenariosInMemoryTests extends QueuedScenariosContract {}
