package broken

func New( { }
